import { setPriority } from 'node:os'
import { attacks } from '../test/hostile/attacks.ts'
import { type AttackPlan, runAttack } from '../test/hostile/run-attack.ts'
import { Tenant } from '../test/hostile/tenant.ts'
import type { Credentials } from '../test/support/service-process.ts'

export interface CallerOrder extends AttackPlan {
  readonly attack: string
  readonly credentials: Credentials
}

/**
 * Makes the calls of an attacker. They come from a process of their own and with a low priority, because those of a real
 * attacker come from another host: neither the clock nor the processor of the neighbour is to wait for them.
 */
setPriority(19)
process.once('message', async (order: CallerOrder) => {
  const attack = attacks.find(({ name }) => name === order.attack)
  if (!attack) throw new Error(`there is no attack ${order.attack}`)
  await runAttack(attack, new Tenant(order.credentials), order)
  process.disconnect()
})
