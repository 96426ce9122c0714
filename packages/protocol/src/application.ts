import { z } from 'zod'
import { enterErrors } from './lifecycle.ts'
import { operation } from './operation.ts'

/** The progress of an installation. */
export const OperationStatus = z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'])
export type OperationStatus = z.infer<typeof OperationStatus>

/** An application of the catalogue that can be installed in a sandbox. */
export const Application = z
  .object({ id: z.string(), name: z.string(), description: z.string() })
  .meta({ id: 'Application' })
export type Application = z.infer<typeof Application>

const sandbox = '/api/orgs/{orgId}/sandboxes/{sandboxId}'

export const listApplications = operation({
  id: 'listApplications',
  tag: 'Inside the machine',
  summary: 'List the applications that can be installed.',
  method: 'GET',
  path: '/api/orgs/{orgId}/applications',
  access: { to: 'organization', role: 'viewer', trial: true },
  response: z.array(Application),
  addition: true,
})

export const installSandboxApplication = operation({
  id: 'installSandboxApplication',
  tag: 'Inside the machine',
  summary: 'Install an application from the catalogue.',
  method: 'PUT',
  path: `${sandbox}/apps/{appId}`,
  access: { to: 'organization', role: 'member', trial: true },
  response: z.object({ operationId: z.string(), status: OperationStatus }),
  errors: [...enterErrors, 'application.NOT_FOUND', 'application.UNAVAILABLE'],
})

export const getSandboxApplicationOperation = operation({
  id: 'getSandboxApplicationOperation',
  tag: 'Inside the machine',
  summary: 'Get the status of an installation.',
  method: 'GET',
  path: `${sandbox}/operations/{operationId}`,
  access: { to: 'organization', role: 'viewer', trial: true },
  response: z.object({ status: OperationStatus, detail: z.unknown().nullable() }),
  errors: ['sandbox.NOT_FOUND', 'operation.NOT_FOUND'],
})
