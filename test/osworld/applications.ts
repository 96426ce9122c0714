import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { startWorld } from './world.ts'

/** The whole image, whose applications take minutes to install. `npm run soak:tests` runs this. */
const { provider, path } = await startWorld(() => true)
await provider.start(path)
const { server, vlc } = await provider.address(path)

const post = (route: string, body: object) =>
  fetch(`${server}${route}`, { method: 'POST', body: JSON.stringify(body) })

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
