import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { isDeepStrictEqual } from 'node:util'
import { waitFor } from '@sandglass/machines/testing'
import { Calls } from './faults/calls.ts'
import { descendantsOf } from './support/host-processes.ts'
import { MachineInstallation } from './support/machine-installation.ts'
import { makeSandboxes } from './support/machine-process.ts'

/** The processes that stay for as long as the service does. */
const listed = ['node', 'perl']

test('only the processes that docs/machines.md lists run as root', async () => {
  const page = await readFile(new URL('../docs/machines.md', import.meta.url), 'utf8')
  const table = page.split('### What runs as root')[1]?.split('\n\nPostgreSQL')[0] ?? ''
  for (const name of listed) assert.match(table, new RegExp(`\`${name}\``))

  const { service, credentials } = await MachineInstallation.start()
  const [id] = await makeSandboxes(credentials, 1)
  // A request through a mapping makes the service start its port dialer.
  const calls = new Calls({ credentials })
  const { body } = await calls.ask({
    what: 'createHttpMapping',
    method: 'POST',
    path: `~/sandboxes/${id}/mappings`,
    json: { targetEndpoint: '127.0.0.1:8000' },
  })
  const headers = { host: body.domain, 'x-gateway-access-token': body.accessToken }
  // Until the worker has connected to the machine, the answer is that it cannot be reached.
  await waitFor(async () => {
    const { status } = await calls.ask({
      what: 'a mapped port',
      method: 'GET',
      path: `${credentials.url}/`,
      headers,
    })
    return status === 502
  })

  // One of each, since the front and the workers are programs of Node too. Others that are root exist only for moments,
  // for example until a worker is confined.
  const rooted = async () => {
    const found: string[] = []
    for (const { pid, name } of [{ pid: service.pid, name: 'node' }, ...(await descendantsOf(service.pid))])
      if ((await userOf(pid)) === 0) found.push(name)
    return found.sort()
  }
  await waitFor(async () => isDeepStrictEqual(await rooted(), listed))
})

async function userOf(pid: number): Promise<number | undefined> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  const user = /^Uid:\s+\d+\s+(\d+)/m.exec(status)?.[1]
  return user === undefined ? undefined : Number(user)
}
