import assert from 'node:assert/strict'
import { test } from 'node:test'
import { waitFor } from '@sandglass/machines/testing'
import { makeSandbox } from '../../testing/make-sandbox.ts'
import { runInSandbox } from '../../testing/run-in-sandbox.ts'
import { startMachineService } from '../../testing/test-machines.ts'

const machines = await startMachineService()
const { service, engine } = machines
const run = (id: string, script: string) => runInSandbox(machines, id, script)

const disks = async () => (await engine.snapshots.list()).length

test('sandboxes that are created from an image have the files of the source, and go on without the image', async () => {
  const source = await makeSandbox(service, { env: { TOKEN: 'secret' } })
  await run(source, 'echo mine > note; sudo sh -c "echo root > /etc/of-root; chmod 600 /etc/of-root"')
  const counting = 'n=0; while :; do n=$((n+1)); echo $n >> count; sleep 0.01; done >/dev/null 2>&1 & echo $!'
  const pid = await run(source, counting)
  const {
    status,
    body: image,
    text: answer,
  } = await service.post('~/machine-images', {
    sandboxId: source,
    name: 'prepared',
  })
  assert.equal(status, 200, answer)
  assert.equal(image.status, 'READY')
  assert.ok(image.pauseMs > 0 && image.sizeMiB > 0, answer)
  assert.equal(await run(source, `kill -0 ${pid} && echo alive`), 'alive')
  await run(source, 'echo changed > note')

  const { body } = await service.post('~/sandboxes/from-image', {
    imageId: image.id,
    name: 'copy',
    maxLifeSeconds: 600,
    wait: 60,
  })
  const copy = body.sandbox.id
  assert.equal(body.sandbox.status, 'RUNNING', body.sandbox.reason)
  assert.equal(
    await run(copy, 'cat note; sudo cat /etc/of-root; stat -c %a:%U /etc/of-root; echo $TOKEN'),
    ['mine', 'root', '600:root'].join('\n'),
  )
  // What the program had written up to that moment is there, in order.
  assert.equal(await run(copy, "awk 'NR != $1 { exit 1 }' count && echo in order"), 'in order')

  assert.equal((await service.delete(`~/machine-images/${image.id}`)).status, 204)
  await waitFor(async () => (await disks()) === 0)
  await run(copy, 'echo own > note')
  assert.equal((await service.post(`~/sandboxes/${copy}/restart`)).status, 200)
  assert.deepEqual([await run(copy, 'cat note'), await run(source, 'cat note')], ['own', 'changed'])
  for (const id of [source, copy]) await service.remove(`~/sandboxes/${id}`)
  await waitFor(async () => (await engine.list()).length === 0)
})
