import type { OperationId } from '@sandglass/client'
import type { CommandDefinition, Example } from '../../packages/cli/src/command-definition.ts'
import { loadCommands } from '../../packages/cli/src/program.ts'

/** The commands that do what an operation does, without `sandglass`. */
const commandOf: Readonly<Partial<Record<OperationId, string>>> = {
  buildMachineImage: 'images build',
  changeSandboxLifecycle: 'sandbox lifecycle',
  createApiKey: 'keys create',
  createLiveInvitation: 'view',
  createMachineImage: 'images create',
  createSandbox: 'sandbox create',
  createSandboxShell: 'sandbox connect',
  createSandboxSnapshot: 'sandbox snapshot create',
  createVolume: 'volumes create',
  createWebhook: 'webhooks create',
  deleteMachineImage: 'images delete',
  deleteSandbox: 'sandbox delete',
  deleteSandboxSnapshot: 'sandbox snapshot delete',
  deleteVolume: 'volumes delete',
  deleteWebhook: 'webhooks delete',
  executeSandboxAction: 'click',
  executeSandboxActions: 'act',
  exportMachineImage: 'images export',
  extendSandbox: 'sandbox extend',
  forkSandbox: 'sandbox fork',
  getDefaultMcpServer: 'mcp init',
  getSandbox: 'sandbox show',
  getUsage: 'usage',
  hibernateSandbox: 'sandbox hibernate',
  importMachineImage: 'images import',
  listApiKeys: 'keys list',
  listAuditLog: 'audit',
  listEvents: 'events',
  listMachineImages: 'images list',
  listParserTypes: 'parse',
  listSandboxes: 'sandbox list',
  listSandboxEvents: 'logs',
  listSandboxSnapshots: 'sandbox snapshot list',
  listShapes: 'shapes',
  listVolumes: 'volumes list',
  listWebhookDeliveries: 'webhooks deliveries',
  listWebhooks: 'webhooks list',
  openSandboxTunnel: 'port-forward',
  parseModelTextOutput: 'parse',
  pauseSandbox: 'sandbox pause',
  previewSandbox: 'screenshot',
  readSandboxFile: 'cp',
  restartSandbox: 'sandbox restart',
  restoreSandbox: 'sandbox snapshot restore',
  resumeSandbox: 'sandbox resume',
  revokeApiKey: 'keys revoke',
  runModelText: 'act',
  streamSandboxShell: 'sandbox exec',
  testWebhook: 'webhooks test',
  writeSandboxFile: 'cp',
}

/** Finds the examples of the commands of operations. The tests of the command line run them. */
export async function commandExamples(): Promise<(id: string) => readonly Example[]> {
  const definitions = await loadCommands()
  const found = new Map(
    Object.entries(commandOf).map(([id, path]) => {
      const { examples = [] } = find(definitions, path.split(' '), path)
      if (examples.length === 0) throw new Error(`sandglass ${path} has no example.`)
      return [id, examples] as const
    }),
  )
  return id => found.get(id) ?? []
}

function find(
  among: readonly CommandDefinition[],
  [first, ...rest]: readonly string[],
  path: string,
): CommandDefinition {
  const definition = among.find(({ name }) => name === first)
  if (!definition) throw new Error(`There is no command sandglass ${path}.`)
  return rest.length === 0 ? definition : find(definition.commands ?? [], rest, path)
}
