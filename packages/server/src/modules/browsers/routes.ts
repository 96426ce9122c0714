import { closeSandboxBrowser, connectSandboxBrowser, startSandboxBrowser } from '@sandglass/protocol'
import { lockSandbox } from '../../records/sandboxes.ts'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import type { BrowserAccess } from './browser-access.ts'
import type { DrivenBrowsers } from './driven-browsers.ts'
import { putStorage } from './storage/put-storage.ts'
import { revokeBrowserTokens } from './store.ts'

export interface BrowserParts {
  readonly access: BrowserAccess
  readonly browsers: DrivenBrowsers
}

/** Serves the operations on the browsers that programs drive. */
export function serveBrowsers(router: SandboxRouter, { access, browsers }: BrowserParts): void {
  router.serveInside(
    connectSandboxBrowser,
    async ({ member, query, reply, record }, { sandbox, machine }) => {
      await record(sandbox.id)
      await browsers.running(machine)
      reply.header('cache-control', 'no-store')
      return access.grant(member, sandbox, query.lifetimeSeconds)
    },
  )

  router.serveInside(startSandboxBrowser, async ({ member, body, reply, record }, { sandbox, machine }) => {
    const { lifetimeSeconds, storageState, ...choices } = body
    await record(sandbox.id)
    const browser = await browsers.startWith(machine, choices)
    if (storageState) await putStorage(machine, browser, storageState)
    reply.header('cache-control', 'no-store')
    return access.grant(member, sandbox, lifetimeSeconds)
  })

  router.serveAtMachine(closeSandboxBrowser, async ({ member, change }, { id }) => {
    const sandbox = await change(async tx => {
      const locked = await lockSandbox(tx, member, id)
      await revokeBrowserTokens(tx, id)
      return { answer: locked, target: id }
    })
    // Nothing runs in a sandbox that is asleep, so it is not woken.
    if (sandbox?.status === 'RUNNING') await browsers.stop((await router.inside(sandbox)).machine)
  })
}
