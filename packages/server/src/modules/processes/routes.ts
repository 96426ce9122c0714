import { execSandboxProcess } from '@sandglass/protocol'
import type { Reach } from '../sandboxes/reach.ts'
import { runProcess } from './run-process.ts'

export function serveProcesses(reach: Reach): void {
  reach.serveInside(execSandboxProcess, async ({ body, signal, record }, { sandbox, machine }) => {
    await record(sandbox.id)
    return runProcess(machine, body, signal)
  })
}
