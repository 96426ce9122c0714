import type { Connect } from '@sandglass/protocol'

/** An invitation gives what is needed to connect, as often as it is asked while it holds. Throws with the service's words. */
export async function redeem(code: string): Promise<Connect> {
  const answer = await fetch('/api/live/redeem', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code }),
  })
  if (answer.ok) return answer.json()
  const body: unknown = await answer.json().catch(() => undefined)
  const isWorded = typeof body === 'object' && body !== null && 'message' in body
  throw new Error(isWorded ? String(body.message) : `The service answered ${answer.status}.`)
}
