import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { ask } from './ask.ts'
import { startWorld } from './world.ts'

/** The whole image, whose applications take minutes to install. `npm run soak:tests` runs this. */
const { provider, path } = await startWorld(() => true)
await provider.start(path)
const { server, vlc } = await provider.address(path)

const post = (route: string, body: object) =>
  fetch(`${server}${route}`, { method: 'POST', body: JSON.stringify(body) })

test('a task changes a cell of a spreadsheet, and the accessibility tree has its cells', async () => {
  assert.deepEqual(await provider.play(path, 'spreadsheet-cell'), [true, "[['Apples', '3.5']]\n"])
  // Several at once are read one after another.
  const trees = await Promise.all([1, 2].map(async () => (await ask(`${server}/accessibility`)).json()))
  for (const { AT } of trees as { AT: string }[]) {
    assert.match(AT, /<desktop-frame xmlns:/)
    assert.match(AT, /<application name="soffice"/)
    assert.match(AT, /<table-cell name="B2"[^>]*>3\.5</)
    assert.match(AT, /st:showing="true"/)
    assert.match(AT, /cp:screencoord="\(\d+, \d+\)"/)
  }
})

for (const [command, title] of [
  [['gimp'], 'GNU Image Manipulation Program'],
  [['thunderbird'], 'Thunderbird'],
  [['libreoffice', '--writer'], 'LibreOffice Writer'],
  [['libreoffice', '--impress'], 'LibreOffice Impress'],
  [['gedit'], 'gedit'],
] as const)
  test(`${command.join(' ')} shows a window`, async () => {
    assert.equal((await post('/setup/launch', { command })).status, 200)
    const verification = { window_exists: title }
    const seen = await post('/execute_with_verification', {
      command: ['true'],
      verification,
      max_wait_time: 300,
    })
    assert.equal(seen.status, 200, await seen.text())
  })

test('VLC says on its port what it plays', async () => {
  await post('/setup/launch', { command: ['vlc', '/usr/share/sounds/alsa/Noise.wav'] })
  const authorization = `Basic ${Buffer.from(':password').toString('base64')}`
  await waitFor(async () => {
    const answer = await fetch(`${vlc}/requests/status.xml`, { headers: { authorization } })
    return answer.ok && /<state>/.test(await answer.text())
  })
})
