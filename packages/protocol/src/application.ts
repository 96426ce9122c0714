import { z } from 'zod'
import { operation } from './operation.ts'

const OperationStatus = z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'])
const sandbox = '/api/orgs/{orgId}/sandboxes/{id}'

export const installSandboxApplication = operation({
  id: 'installSandboxApplication',
  tag: 'Inside the machine',
  summary: 'Install an application from the catalogue.',
  method: 'PUT',
  path: `${sandbox}/apps/{appId}`,
  access: { to: 'organization', role: 'member', trial: true },
  response: z.object({ operationId: z.string(), status: OperationStatus }),
})

export const getSandboxApplicationOperation = operation({
  id: 'getSandboxApplicationOperation',
  tag: 'Inside the machine',
  summary: 'How an installation is going.',
  method: 'GET',
  path: `${sandbox}/operations/{operationId}`,
  access: { to: 'organization', role: 'viewer', trial: true },
  response: z.object({ status: OperationStatus, detail: z.unknown().nullable() }),
})
