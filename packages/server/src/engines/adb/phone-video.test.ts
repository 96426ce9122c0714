import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { installMissing } from '@sandglass/machines/local'
import { SettingError } from '../../setting-table.ts'
import { findPhoneVideo } from './phone-video.ts'

let folder: string
before(async () => {
  await installMissing()
  folder = await mkdtemp(join(tmpdir(), 'sandglass-video-'))
  await writeFile(join(folder, 'scrcpy-server'), 'a server')
})
after(() => rm(folder, { recursive: true, force: true }))

test('the scrcpy server is the one that the setting names, or else the installed one', async () => {
  const server = join(folder, 'scrcpy-server')
  for (const found of [
    await findPhoneVideo(server, assert.fail, { paths: [] }),
    await findPhoneVideo(undefined, assert.fail, { paths: [join(folder, 'none'), server] }),
  ]) {
    assert.equal(String(found?.server.content), 'a server')
    assert.equal(found?.decoder, 'ffmpeg')
  }
})

test('without a scrcpy server phones have no video, and nothing is reported', async () => {
  assert.equal(await findPhoneVideo(undefined, assert.fail, { paths: [join(folder, 'none')] }), undefined)
})

test('a scrcpy server that the setting names but cannot be read stops the start and says how to fix it', async () => {
  await assert.rejects(findPhoneVideo(join(folder, 'none'), assert.fail), {
    name: SettingError.name,
    message:
      /^SANDGLASS_SCRCPY_SERVER cannot be read: ENOENT.* Set it to the scrcpy-server file that comes with scrcpy, or unset it/,
  })
})

test('a missing ffmpeg is reported, and phones have no video', async () => {
  const lines: string[] = []
  const options = { decoder: join(folder, 'no-ffmpeg') }
  const found = await findPhoneVideo(join(folder, 'scrcpy-server'), line => lines.push(line), options)
  assert.equal(found, undefined)
  assert.match(lines.join(), /no ffmpeg: phones are captured with screencap\. Install ffmpeg/)
})
