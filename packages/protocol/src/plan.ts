import { z } from 'zod'
import { operation } from './operation.ts'

const limit = z.int().min(0).max(1_000_000).nullable().describe('null: unlimited.')

/** What an organization may use. Plans are the operator's. */
export const Plan = z
  .object({
    name: z.string(),
    tier: z.int().min(0).max(1000).describe('Shapes ask for a tier; a plan reaches those up to its own.'),
    concurrentSandboxes: limit,
    machineImages: limit,
  })
  .meta({ id: 'Plan' })
export type Plan = z.infer<typeof Plan>

export const PlanName = z
  .string()
  .max(50)
  .regex(/^[a-z][a-z0-9-]*$/, 'must begin with a small letter and hold small letters, digits and hyphens')

const plans = '/api/operator/plans'
const operator = { to: 'operator' } as const

export const listPlans = operation({
  id: 'listPlans',
  tag: 'Operator',
  summary: 'The plans.',
  method: 'GET',
  path: plans,
  access: operator,
  response: z.array(Plan),
  addition: true,
})

export const createPlan = operation({
  id: 'createPlan',
  tag: 'Operator',
  summary: 'Make a plan.',
  method: 'POST',
  path: plans,
  access: operator,
  body: Plan.extend({ name: PlanName }),
  response: Plan,
  creates: true,
  addition: true,
  errors: ['plan.EXISTS'],
})

export const updatePlan = operation({
  id: 'updatePlan',
  tag: 'Operator',
  summary: 'Change a plan for every organization that has it.',
  method: 'PATCH',
  path: `${plans}/{planName}`,
  access: operator,
  body: Plan.omit({ name: true }).partial(),
  response: Plan,
  addition: true,
  errors: ['plan.NOT_FOUND'],
})

export const deletePlan = operation({
  id: 'deletePlan',
  tag: 'Operator',
  summary: 'Delete a plan that no organization has.',
  method: 'DELETE',
  path: `${plans}/{planName}`,
  access: operator,
  addition: true,
  errors: ['plan.NOT_FOUND', 'plan.IN_USE'],
})
