import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { World } from '../support/world.ts'

/** What becomes of open pages when the service is restarted. It is the last of the screens. */
export function restart(world: World): void {
  test('an open page goes on after a restart of the service, and people stay signed in', async () => {
    const page = await world.open('/')
    const { sandboxId } = world
    const { sandbox } = await world.owner.getSandbox({ sandboxId })
    await page.getByRole('link', { name: sandbox.name, exact: true }).waitFor()
    const { installation } = world
    installation.service.signal('SIGTERM')
    assert.equal(await installation.service.exit(), 0)
    await installation.startAgain()
    await world.owner.updateSandbox({ sandboxId, body: { name: 'after the restart' } })
    await page.getByRole('link', { name: 'after the restart' }).waitFor()
    await page.getByRole('img', { name: 'The screen of after the restart' }).waitFor()
    await page.close()
  })
}
