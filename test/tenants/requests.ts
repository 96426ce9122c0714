import assert from 'node:assert/strict'
import type { Operation } from '@sandglass/protocol'
import * as protocol from '@sandglass/protocol'
import type { Tenant } from './tenant.ts'

/** Every operation of the protocol. */
export const operations: readonly Operation[] = Object.values<unknown>(protocol).filter(
  (value): value is Operation =>
    typeof value === 'object' && value !== null && 'access' in value && 'path' in value,
)

interface Input {
  readonly body?: unknown
  readonly query?: string
}

const command = { command: 'touch intruder' }
const action = { type: 'wait', duration: 1 }

/**
 * Input with which each operation would succeed if its caller were allowed to make the call. It names things of the
 * given tenant wherever the operation takes the id of something. An operation that needs none is not listed.
 */
const inputs: Readonly<Record<string, (of: Tenant['ids']) => Input>> = {
  buildMachineImage: ({ imageId }) => ({
    body: { from: { imageId }, steps: [{ run: 'touch /intruder' }], name: 'intruder' },
  }),
  changeSandboxLifecycle: () => ({ body: { onTimeout: 'pause', autoResume: true } }),
  copyFilesWithSandbox: () => {
    const at = (path: string) => ({ type: 'sandboxFileLocation', path })
    return { body: { files: [{ src: at('secret'), dest: at('intruder-copy') }] } }
  },
  createApiKey: () => ({ body: { name: 'intruder' } }),
  createHttpMapping: () => ({ body: { targetEndpoint: '127.0.0.1:4000' } }),
  createLiveInvitation: () => ({ body: {} }),
  createLiveToken: () => ({ body: {} }),
  createMachineImage: ({ sandboxId }) => ({ body: { sandboxId, name: 'intruder' } }),
  createMcpServer: ({ projectId }) => ({ body: { name: 'intruder', sandboxShape: 'small', projectId } }),
  createOrganization: () => ({ body: { name: 'intruder' } }),
  createOwnerKey: () => ({ body: { name: 'intruder' } }),
  createPlan: () => ({ body: { name: 'intruder', tier: 0, concurrentSandboxes: null, machineImages: null } }),
  createProject: () => ({ body: { name: 'intruder' } }),
  createSandbox: ({ projectId }) => ({ body: { shapeName: 'small', name: 'intruder', projectId } }),
  createSandboxFromImage: ({ imageId }) => ({ body: { imageId, name: 'intruder', maxLifeSeconds: 300 } }),
  createSandboxShell: () => ({ body: command }),
  createTrialToken: () => ({ body: { name: 'intruder', shapeNames: ['small'] } }),
  createVolume: () => ({ body: { name: 'intruder', sizeMiB: 64 } }),
  createWebhook: () => ({ body: { url: 'http://127.0.0.1:9/intruder' } }),
  execSandboxProcess: () => ({ body: { executable: 'touch', args: ['intruder'] } }),
  executeComputerUseAction: () => ({ body: { action } }),
  executeSandboxAction: () => ({ body: { action } }),
  executeSandboxActions: () => ({ body: { actions: [action] } }),
  extendSandbox: () => ({ body: { maxLifeSeconds: 7200 } }),
  getUsage: ({ sandboxId }) => ({ query: `sandboxId=${sandboxId}` }),
  importMachineImage: () => ({ query: 'name=intruder' }),
  listAllEvents: ({ sandboxId }) => ({ query: `subject=${sandboxId}` }),
  listAuditLog: ({ sandboxId }) => ({ query: `target=${sandboxId}` }),
  listEvents: ({ sandboxId }) => ({ query: `subject=${sandboxId}` }),
  listSandboxes: ({ projectId }) => ({ query: `projectId=${projectId}` }),
  makeSandboxFolder: () => ({ body: { path: 'intruder-folder' } }),
  moveSandboxFile: () => ({ body: { from: 'secret', to: 'intruder-moved' } }),
  parseMobileUseModelTextOutput: () => ({ body: { textContent: 'x' } }),
  parseModelOutput: () => ({ body: { model: 'seed', textContent: 'x' } }),
  parseModelTextOutput: () => ({ body: { textContent: 'x' } }),
  readSandboxFile: () => ({ query: 'path=secret' }),
  redeemLiveInvitation: () => ({ body: { code: 'guessed' } }),
  removeSandboxFile: () => ({ query: 'path=secret' }),
  resizeSandboxShell: () => ({ body: { ttyRows: 10, ttyCols: 10 } }),
  restoreSandbox: ({ snapshotId }) => ({ body: { snapshotId } }),
  runModelText: () => ({ body: { type: 'ui-tars', textContent: 'Action: finished()' } }),
  setMcpServerToSandbox: ({ sandboxId }) => ({ body: { sandboxId } }),
  setSandboxControl: () => ({ body: { holder: 'user' } }),
  statSandboxFile: () => ({ query: 'path=secret' }),
  streamSandboxShell: () => ({ body: command }),
  updateMachineImage: () => ({ body: { scope: 'ORG' } }),
  updateMcpServer: () => ({ body: { name: 'intruder' } }),
  updateOrganization: () => ({ body: { name: 'intruder' } }),
  updateSandbox: () => ({ body: { name: 'intruder', labels: { by: 'intruder' } } }),
  updatePlan: () => ({ body: { tier: 1 } }),
  updateWebhook: () => ({ body: { description: 'intruder' } }),
  uploadSandboxFiles: () => ({ query: 'path=.' }),
  writeSandboxFile: () => ({ query: 'path=secret' }),
  writeSandboxShell: () => ({ body: { data: 'intruder\n' } }),
}

export interface PreparedRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/**
 * Prepares a call of the operation. `ids` are the values of the path's parameters, and `named` what the body and the
 * query name. Fails for an operation that this file does not know enough about, so that nobody forgets to add it.
 */
export function requestFor(operation: Operation, ids: Tenant['ids'], named: Tenant['ids']): PreparedRequest {
  const { id, method, accepts } = operation
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_hole, name: string) => {
    const value = ids[name]
    assert.ok(value !== undefined, `${id}: add something to tenant.ts that {${name}} can name`)
    return encodeURIComponent(value)
  })
  const { body, query } = inputs[id]?.(named) ?? {}
  const isComplete =
    (operation.body?.safeParse(body).success ?? true) &&
    (operation.query?.safeParse(Object.fromEntries(new URLSearchParams(query))).success ?? true)
  assert.ok(isComplete, `${id}: add input to requests.ts with which it succeeds`)
  const form = 'multipart/form-data; boundary=x'
  return {
    method,
    path: query === undefined ? path : `${path}?${query}`,
    headers: { 'content-type': accepts === 'form' ? form : accepts ? 'text/plain' : 'application/json' },
    ...(accepts === 'form' && { body: intruderForm }),
    ...(accepts === 'bytes' && { body: 'intruder' }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }
}

const intruderForm = [
  '--x',
  'Content-Disposition: form-data; name="file"; filename="intruder"',
  '',
  'intruder',
  '--x--',
  '',
].join('\r\n')
