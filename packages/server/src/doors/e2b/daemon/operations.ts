import type { Operation } from '@sandglass/protocol'
import * as protocol from '@sandglass/protocol'

/** Our own operations that the methods of the daemon stand for. The audit log names these. */
const operations: Readonly<Record<string, Operation>> = {
  List: protocol.listSandboxShells,
  Connect: protocol.attachSandboxShell,
  Start: protocol.createSandboxShell,
  Update: protocol.resizeSandboxShell,
  StreamInput: protocol.writeSandboxShell,
  SendInput: protocol.writeSandboxShell,
  SendSignal: protocol.terminateSandboxShell,
  CloseStdin: protocol.finishSandboxShell,
  Stat: protocol.statSandboxFile,
  MakeDir: protocol.makeSandboxFolder,
  Move: protocol.moveSandboxFile,
  ListDir: protocol.listSandboxFiles,
  Remove: protocol.removeSandboxFile,
  WatchDir: protocol.watchSandboxFiles,
  CreateWatcher: protocol.watchSandboxFiles,
  GetWatcherEvents: protocol.watchSandboxFiles,
  RemoveWatcher: protocol.watchSandboxFiles,
}

export function operationOf(method: string): Operation {
  const operation = operations[method]
  if (!operation) throw new Error(`the method ${method} stands for no operation`)
  return operation
}
