import assert from 'node:assert/strict'
import { type Answer, type Asked, Calls } from '../faults/calls.ts'
import type { Attack, Program } from './attack.ts'
import type { Tenant } from './tenant.ts'

const port = 8000

export interface AttackPlan {
  readonly sandboxId: string
  readonly seconds: number
  readonly seed: number
}

/** Runs an attack of a tenant from its sandbox, and returns the responses to the attacker's own calls. */
export async function runAttack(attack: Attack, tenant: Tenant, plan: AttackPlan): Promise<Answer[]> {
  const { sandboxId, seconds } = plan
  const mapping = attack.isMapped ? await map(tenant, sandboxId) : {}
  if (attack.program) await launch(attack.program, tenant, plan)
  const { credentials } = tenant
  const calls = attack.isAnonymous
    ? new Calls({ credentials: { ...credentials, apiKey: 'none' } })
    : tenant.calls
  const place = (path: string) => {
    const isOfSandbox = !attack.isMapped && /^\/(files|process|actions)/.test(path)
    return isOfSandbox ? `~/sandboxes/${sandboxId}${path}` : `${credentials.url}${path}`
  }
  const answers: Answer[] = []
  const end = performance.now() + seconds * 1000
  const repeat = async (asked: Asked) => {
    do answers.push(await calls.ask({ ...asked, path: place(asked.path), headers: mapping }))
    while (performance.now() < end)
  }
  const callers = Array.from({ length: attack.callers ?? 1 }, () => attack.calls).flat()
  await Promise.all(callers.map(repeat))
  return answers
}

async function launch(
  { file, what, user, isImposter }: Program,
  tenant: Tenant,
  { sandboxId, seconds, seed }: AttackPlan,
): Promise<void> {
  const command = `python3 /tmp/attacks/${file} ${what} ${seconds} ${seed} ${port}`
  const started = `setsid ${user === 'root' ? 'sudo ' : ''}${command} >/tmp/attack.log 2>&1 </dev/null &`
  const ready = 'until [ -e /tmp/attacking ]; do sleep 0.05; done'
  const { status, body } = await tenant.run(sandboxId, `${started} ${ready}`)
  // On a slow host, an imposter has taken its place before the answer to the call that started it was complete.
  assert.ok(status === 200 || (isImposter && status === 409), `${status} ${JSON.stringify(body)}`)
}

async function map(tenant: Tenant, sandboxId: string): Promise<Record<string, string>> {
  const { status, body } = await tenant.calls.ask({
    what: 'createMapping',
    method: 'POST',
    path: `~/sandboxes/${sandboxId}/mappings`,
    json: { targetEndpoint: `127.0.0.1:${port}` },
  })
  assert.equal(status, 200, JSON.stringify(body))
  return { host: body.domain, 'x-sandglass-mapping-token': body.accessToken }
}
