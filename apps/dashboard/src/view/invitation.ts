import type { Connect } from '@sandglass/protocol'
import { invitationProblem } from './reasons.ts'

/**
 * Exchanges an invitation for connection details. It can be redeemed again until it expires. Throws an error whose
 * message can be shown to people.
 */
export async function redeem(code: string): Promise<Connect> {
  const response = await fetch('/api/live/redeem', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  if (response.ok) return response.json()
  throw new Error(invitationProblem(response.status))
}
