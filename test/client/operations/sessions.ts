import assert from 'node:assert/strict'
import type { World } from './world.ts'

export async function sessions({ client }: World): Promise<void> {
  const { apiKey } = await client.credentials()
  const { kind, role, session: none } = await client.getWhoami()
  assert.deepEqual([kind, role, none], ['apiKey', 'owner', null])
  assert.equal((await client.listSignInMethods()).apiKey, true)
  const { session: first } = await client.createSession({ body: { apiKey } })
  const { code } = await client.createSignInCode()
  const { session: second } = await client.createSession({ body: { code } })
  assert.ok(first && second)
  const listed = (await client.listSessions()).map(({ id }) => id)
  assert.ok(listed.includes(first.id) && listed.includes(second.id))
  assert.ok((await client.listOrganizationSessions()).some(({ id }) => id === first.id))
  await client.endSession({ sessionId: first.id })
  await client.endOrganizationSession({ sessionId: second.id })
  assert.deepEqual(await client.listSessions(), [])
}
