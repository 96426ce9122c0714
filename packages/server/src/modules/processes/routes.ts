import { execSandboxProcess } from '@sandglass/protocol'
import type { SandboxRouter } from '../sandboxes/sandbox-router.ts'
import { runProcess } from './run-process.ts'

export function serveProcesses(router: SandboxRouter): void {
  router.serveInside(execSandboxProcess, async ({ body, signal, record }, { sandbox, machine }) => {
    await record(sandbox.id)
    return runProcess(machine, body, signal)
  })
}
