import { z } from 'zod'
import { operation } from './operation.ts'

const limit = z.int().min(0).max(1_000_000).nullable()

/** The limits of an organization. Plans are defined by the operator. */
export const Plan = z
  .object({
    name: z.string(),
    tier: z.int().min(0).max(1000).describe('A plan allows shapes that require this tier or a lower one.'),
    concurrentSandboxes: limit.describe('How many sandboxes there can be at once; null means unlimited.'),
    machineImages: limit.describe('How many machine images there can be; null means unlimited.'),
    snapshots: limit.describe('How many snapshots there can be; null means unlimited.'),
    volumes: limit.describe('How many volumes there can be; null means unlimited.'),
    volumesMiB: z
      .int()
      .min(0)
      .max(1_000_000_000)
      .nullable()
      .describe('How large all volumes together can be, in MiB; null means unlimited.'),
    webhooks: limit.describe(
      'How many webhooks there can be; null means 100, the most an organization can have.',
    ),
  })
  .meta({ id: 'Plan' })
export type Plan = z.infer<typeof Plan>

/** The name of a plan as requests give it. */
export const PlanName = z
  .string()
  .max(50)
  .regex(
    /^[a-z][a-z0-9-]*$/,
    'must start with a lowercase letter and contain only lowercase letters, digits and hyphens',
  )

const plans = '/api/operator/plans'
const operator = { to: 'operator' } as const

export const listPlans = operation({
  id: 'listPlans',
  tag: 'Operator',
  summary: 'List the plans.',
  method: 'GET',
  path: plans,
  access: operator,
  response: z.array(Plan),
  addition: true,
})

export const createPlan = operation({
  id: 'createPlan',
  tag: 'Operator',
  summary: 'Create a plan.',
  method: 'POST',
  path: plans,
  access: operator,
  body: Plan.extend({
    name: PlanName.describe('The name of the plan.'),
    snapshots: Plan.shape.snapshots.default(null),
    volumes: Plan.shape.volumes.default(null),
    volumesMiB: Plan.shape.volumesMiB.default(null),
    webhooks: Plan.shape.webhooks.default(null),
  }),
  response: Plan,
  creates: true,
  addition: true,
  examples: [{ body: { name: 'team', tier: 1, concurrentSandboxes: 20, machineImages: 10 } }],
  errors: ['plan.EXISTS'],
})

export const updatePlan = operation({
  id: 'updatePlan',
  tag: 'Operator',
  summary: 'Change a plan for all organizations that use it.',
  method: 'PATCH',
  path: `${plans}/{planName}`,
  access: operator,
  body: Plan.omit({ name: true }).partial(),
  response: Plan,
  addition: true,
  examples: [{ body: { concurrentSandboxes: 50 } }],
  errors: ['plan.NOT_FOUND'],
})

export const deletePlan = operation({
  id: 'deletePlan',
  tag: 'Operator',
  summary: 'Delete a plan that no organization uses.',
  method: 'DELETE',
  path: `${plans}/{planName}`,
  access: operator,
  addition: true,
  errors: ['plan.NOT_FOUND', 'plan.IN_USE'],
})
