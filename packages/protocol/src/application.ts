import { z } from 'zod'
import { enterErrors } from './lifecycle.ts'
import { operation } from './operation.ts'
import { Time } from './time.ts'

/** The progress of an installation. */
export const OperationStatus = z.enum(['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED'])
export type OperationStatus = z.infer<typeof OperationStatus>

/** An application of the catalogue that can be installed in a sandbox. */
export const Application = z
  .object({ id: z.string(), name: z.string(), description: z.string() })
  .meta({ id: 'Application' })
export type Application = z.infer<typeof Application>

/** The last installation of an application in a sandbox. */
export const SandboxApplication = z
  .object({
    appId: z.string(),
    name: z.string().describe('The id, if the application is not in the catalogue any more.'),
    status: OperationStatus,
    operationId: z.string(),
    at: Time.describe('When the installation was requested.'),
    detail: z.unknown().nullable().describe('As in getSandboxApplicationOperation.'),
  })
  .meta({ id: 'SandboxApplication' })
export type SandboxApplication = z.infer<typeof SandboxApplication>

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

export const listSandboxApplications = operation({
  id: 'listSandboxApplications',
  tag: 'Inside the machine',
  summary:
    'List the applications of the catalogue that were installed in a sandbox, are being installed or could not be.',
  method: 'GET',
  path: `${sandbox}/apps`,
  access: { to: 'organization', role: 'viewer', trial: true },
  response: z.array(SandboxApplication),
  addition: true,
  errors: ['sandbox.NOT_FOUND'],
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
