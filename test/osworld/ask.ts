import assert from 'node:assert/strict'

/** Asks the server in a machine, with a GET unless there is a body. Fails unless the request succeeds. */
export async function ask(url: string, body?: object): Promise<Response> {
  const post = { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const answer = await fetch(url, body && post)
  assert.equal(answer.status, 200, answer.status === 200 ? '' : await answer.text())
  return answer
}
