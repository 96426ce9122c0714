import * as protocol from '@sandglass/protocol'
import { ApiError } from '@sandglass/protocol'
import type { Database } from '../../db/database.ts'
import type { Api } from '../../http/api.ts'
import { deletePlanRow, insertPlan, isPlanInUse, lockPlan, selectPlans, updatePlanRow } from './store.ts'

export function servePlans(api: Api, db: Database): void {
  api.serve(protocol.listPlans, () => selectPlans(db))

  api.serve(protocol.createPlan, ({ body, change }) =>
    change(async tx => {
      const plan = await insertPlan(tx, body)
      if (!plan) throw new ApiError('plan.EXISTS')
      return { answer: plan, target: plan.name }
    }),
  )

  api.serve(protocol.updatePlan, ({ params, body, change }) =>
    change(async tx => {
      const before = await lockPlan(tx, params.planName)
      if (!before) throw new ApiError('plan.NOT_FOUND')
      const plan = { ...before, ...body }
      await updatePlanRow(tx, plan)
      return { answer: plan, target: plan.name }
    }),
  )

  api.serve(protocol.deletePlan, ({ params: { planName }, change }) =>
    change(async tx => {
      if (!(await lockPlan(tx, planName))) throw new ApiError('plan.NOT_FOUND')
      if (await isPlanInUse(tx, planName)) throw new ApiError('plan.IN_USE')
      await deletePlanRow(tx, planName)
      return { answer: undefined, target: planName }
    }),
  )
}
