/** Posts a body again and again with bare `fetch`, in as many loops as the service has requests, and prints how many per second. */
const { URL: url = '', BODY: body = '', TIMES = '0', LOOPS = '1' } = process.env
const headers = { 'content-type': 'application/json' }
let left = Number(TIMES)

async function loop(): Promise<void> {
  while (left-- > 0) {
    const answer = await fetch(url, { method: 'POST', headers, body })
    await answer.arrayBuffer()
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`)
  }
}

// The first requests open connections and compile code, as they do in a service that has run for a while.
const warmUp = Math.min(500, left)
left = warmUp
await Promise.all(Array.from({ length: Number(LOOPS) }, loop))
left = Number(TIMES)
const from = performance.now()
await Promise.all(Array.from({ length: Number(LOOPS) }, loop))
console.log(`${(1000 * Number(TIMES)) / (performance.now() - from)} per second`)
