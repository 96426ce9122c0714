import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as protocol from './index.ts'
import { errors, type Operation, openapi } from './index.ts'

const operations = Object.values<unknown>(protocol).filter(
  (value): value is Operation =>
    typeof value === 'object' && value !== null && 'access' in value && 'method' in value,
)

/** Every operation of the contract, as its table gives them. */
const contract = `
getSandbox GET /api/orgs/{orgId}/sandboxes/{sandboxId}
listSandboxes GET /api/orgs/{orgId}/sandboxes
createSandbox POST /api/orgs/{orgId}/sandboxes
createSandboxFromImage POST /api/orgs/{orgId}/sandboxes/from-image
deleteSandbox DELETE /api/orgs/{orgId}/sandboxes/{sandboxId}
extendSandbox POST /api/orgs/{orgId}/sandboxes/{sandboxId}/extend
restartSandbox POST /api/orgs/{orgId}/sandboxes/{sandboxId}/restart
getSandboxStatus GET /api/orgs/{orgId}/sandboxes/{sandboxId}/status
previewSandbox POST /api/orgs/{orgId}/sandboxes/{sandboxId}/preview
executeSandboxAction POST /api/orgs/{orgId}/sandboxes/{sandboxId}/actions/execute
executeComputerUseAction POST /api/orgs/{orgId}/sandboxes/{sandboxId}/actions/computer-use
execSandboxProcess POST /api/orgs/{orgId}/sandboxes/{sandboxId}/process
streamSandboxShell POST /api/orgs/{orgId}/sandboxes/{sandboxId}/shell/stream
createSandboxShell POST /api/orgs/{orgId}/sandboxes/{sandboxId}/shell
writeSandboxShell POST /api/orgs/{orgId}/sandboxes/{sandboxId}/shell/{shellId}
readSandboxShell POST /api/orgs/{orgId}/sandboxes/{sandboxId}/shell/{shellId}/read
finishSandboxShell PUT /api/orgs/{orgId}/sandboxes/{sandboxId}/shell/{shellId}/finish
terminateSandboxShell DELETE /api/orgs/{orgId}/sandboxes/{sandboxId}/shell/{shellId}
copyFilesWithSandbox POST /api/orgs/{orgId}/sandboxes/{sandboxId}/file/copy
listHttpMappings GET /api/orgs/{orgId}/sandboxes/{sandboxId}/mappings
createHttpMapping POST /api/orgs/{orgId}/sandboxes/{sandboxId}/mappings
getHttpMapping GET /api/orgs/{orgId}/sandboxes/{sandboxId}/mappings/{targetEndpoint}
deleteHttpMapping DELETE /api/orgs/{orgId}/sandboxes/{sandboxId}/mappings/{targetEndpoint}
installSandboxApplication PUT /api/orgs/{orgId}/sandboxes/{sandboxId}/apps/{appId}
getSandboxApplicationOperation GET /api/orgs/{orgId}/sandboxes/{sandboxId}/operations/{operationId}
listShapes GET /api/orgs/{orgId}/shapes
createMachineImage POST /api/orgs/{orgId}/machine-images
listMachineImages GET /api/orgs/{orgId}/machine-images
deleteMachineImage DELETE /api/orgs/{orgId}/machine-images/{imageId}
listProjects GET /api/orgs/{orgId}/projects
createProject POST /api/orgs/{orgId}/projects
deleteProject DELETE /api/orgs/{orgId}/projects/{projectId}
listMcpServers GET /api/orgs/{orgId}/mcp-servers
createMcpServer POST /api/orgs/{orgId}/mcp-servers
getDefaultMcpServer GET /api/orgs/{orgId}/mcp-servers/default
deleteMcpServer DELETE /api/orgs/{orgId}/mcp-servers/{mcpServerId}
setMcpServerToSandbox POST /api/orgs/{orgId}/mcp-servers/{mcpServerId}/sandbox
getStats GET /api/orgs/{orgId}/stats
parseModelTextOutput POST /api/computer-use/parse/{type}
parseMobileUseModelTextOutput POST /api/mobile-use/parse/{type}
parseModelOutput POST /api/computer-use/parse`

test('every operation of the contract is here, and what is not in it is marked as ours', () => {
  const lines = (some: readonly Operation[]) =>
    some.map(({ id, method, path }) => `${id} ${method} ${path}`).sort()
  assert.deepEqual(lines(operations.filter(({ addition }) => !addition)), contract.trim().split('\n').sort())
})

test('the published document gives every operation the id that generated clients know', () => {
  const published = openapi(operations, '1.0.0', 'http://localhost')['paths'] as Record<
    string,
    Record<string, { operationId: string }>
  >
  const idOf = ({ path, method }: Operation) => published[path]?.[method.toLowerCase()]?.operationId
  const renamed = operations.filter(operation => idOf(operation) !== operation.id)
  assert.deepEqual(Object.fromEntries(renamed.map(operation => [operation.id, idOf(operation)])), {
    createSandboxShell: 'createSandboxShellCommand',
    writeSandboxShell: 'writeSandboxShellCommand',
    readSandboxShell: 'readSandboxShellCommand',
    finishSandboxShell: 'finishSandboxShellCommand',
    terminateSandboxShell: 'terminateSandboxShellCommand',
    createMachineImage: 'MachineImageController_createMachineImage',
    listMachineImages: 'MachineImageController_listMachineImages',
    deleteMachineImage: 'MachineImageController_deleteMachineImage',
  })
})

test('the deprecated operations say what to call instead', () => {
  const deprecated = operations.filter(operation => operation.deprecated).map(({ id }) => id)
  assert.deepEqual(deprecated.sort(), ['executeComputerUseAction', 'parseModelOutput'])
})

test('ids and routes are unique', () => {
  const ids = operations.flatMap(({ id, publishedId = id }) => [...new Set([id, publishedId])])
  assert.equal(new Set(ids).size, ids.length)
  assert.equal(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size, operations.length)
})

test('error codes are dotted, and operations use only the statuses of the contract', () => {
  // These are sent before there is a request, instead of a WebSocket, for programs in a sandbox, for parts of a file, or to viewers.
  const outside: Record<string, number> = {
    'request.TIMEOUT': 408,
    'request.HEADERS_TOO_LARGE': 431,
    'request.UPGRADE_REQUIRED': 426,
    'mapping.NOT_LISTENING': 502,
    'mapping.BAD_ANSWER': 502,
    'tunnel.NOT_LISTENING': 502,
    'tunnel.RESET': 502,
    'file.RANGE': 416,
    'live.NO_HELLO': 408,
    'live.STALLED': 408,
  }
  for (const [code, { status, message, hint }] of Object.entries(errors)) {
    assert.match(code, /^[a-z][A-Za-z]*\.[A-Z][A-Z_]*$/)
    assert.ok(
      [400, 401, 403, 404, 405, 409, 413, 415, 429, 500, 503, 504, outside[code]].includes(status),
      code,
    )
    assert.match(message, /\.$/)
    assert.match(hint, /\.$/)
  }
})

test('every reference in the OpenAPI document leads to a component', () => {
  const document = openapi(operations, '1.0.0', 'http://localhost')
  const text = JSON.stringify(document)
  const components = (document['components'] as { schemas: Record<string, unknown> }).schemas
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(
    ([, name]) => name ?? '',
  )
  assert.ok(references.length > 100)
  for (const name of references) assert.ok(name in components, name)
  assert.ok(!text.includes('#/$defs'))
})
