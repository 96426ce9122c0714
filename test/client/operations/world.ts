import { type OperationId, Sandglass } from '@sandglass/client'
import { routes } from '../../../packages/client/src/routes.ts'
import { makeSandbox } from '../../../packages/server/src/testing/make-sandbox.ts'
import { startMachineService } from '../../../packages/server/src/testing/test-machines.ts'
import type { TestService } from '../../../packages/server/src/testing/test-service.ts'

/** What the calls of operations need. */
export interface World {
  readonly service: TestService
  /** Of the owner of an organization. */
  readonly client: Sandglass
  readonly operator: Sandglass
  /** A sandbox that runs. */
  readonly sandboxId: string
  /** The operations that a client has called, and that the service has answered with success. */
  readonly succeeded: ReadonlySet<OperationId>
}

/** Literal paths before those with placeholders, because `shell/stream` is no shell. */
const known = (Object.keys(routes) as OperationId[])
  .map(id => {
    const { method, path } = routes[id]
    return {
      id,
      method,
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
      holes: path.split('{').length,
    }
  })
  .sort((one, other) => one.holes - other.holes)

export async function startWorld(applications: string): Promise<World> {
  const { service } = await startMachineService({
    env: { SANDGLASS_OUTBOUND_PRIVATE: '127.0.0.1/32', SANDGLASS_APPLICATIONS: applications },
  })
  const succeeded = new Set<OperationId>()
  const observed: typeof fetch = async (input, init) => {
    const response = await fetch(input, init)
    const { pathname } = new URL(String(input))
    const called = known.find(({ method, pattern }) => method === init?.method && pattern.test(pathname))
    if (response.ok && called) succeeded.add(called.id)
    return response
  }
  const { credentials } = service.service
  const client = new Sandglass({ ...credentials, fetch: observed })
  const operator = new Sandglass({ ...credentials, apiKey: credentials.operatorKey, fetch: observed })
  return { service, client, operator, sandboxId: await makeSandbox(service), succeeded }
}
