import { errorClassOf } from '@sandglass/client'
import { clientErrorRows, declarationSections } from './client/declaration-sections.ts'
import { operationTables } from './client/operation-tables.ts'
import { clientCodes, constantOf } from './client/read-sources.ts'

const statuses = [400, 401, 403, 404, 409, 410, 412, 413, 422, 429, 500, 502, 503, 504]

/** docs/client.md: the words are here; classes, options, errors and operations come from the code. */
export function clientPage(): string {
  const seconds = constantOf('usualTimeoutMs') / 1000
  return `# The client library

\`sandglass\` drives the sandboxes of a service from JavaScript and TypeScript. It is one package of modules for Node 20 or
newer, Bun, Deno and browsers, typed from the same operations that the service serves.

\`\`\`js
import { Sandbox } from 'sandglass'

const box = await Sandbox.create()
await box.mouse.click(640, 360)
const shot = await box.screenshot() // also shot.url
const { stdout } = await box.run('uname -a')
console.log(stdout, shot.mimeType, shot.bytes.length)
await box.delete()
\`\`\`

- [Install it](#install-it) and [connect](#connect)
- [Time limits and retries](#time-limits-and-retries), [errors](#errors)
- [Sandboxes and phones](#sandboxes-and-phones): every class and its methods
- [Options and results](#options-and-results)
- [Operations](#operations): every operation as a method of \`Sandglass\`
- \`sandglass/tools\`: a sandbox as the tools of a model ([tools](tools.md))

## Install it

\`npm run build:client\` in a checkout builds the package into \`packages/client/dist\`. Install it in your project with
\`npm install\` and the path of that folder, or of the file that \`npm pack\` makes of it. Its types are derived from zod
schemas, so it depends on zod; at run time only \`sandglass/tools\` loads it.

\`await using box = await Sandbox.create()\` deletes the sandbox at the end of the block, even if something in it fails. Node
24, Deno, Bun and Chromium run that as it is. For Node 20 and 22, compile it with TypeScript (\`"target": "es2022"\`, and
\`"esnext.disposable"\` in \`lib\`), or call \`delete()\` in a \`finally\`.

## Connect

\`new Sandglass()\`, \`Sandbox.create()\` and the like find out by themselves which service to use, in this order:

1. what is passed: \`{ url, orgId, apiKey }\`
2. the environment variables \`SANDGLASS_URL\`, \`SANDGLASS_ORG\` and \`SANDGLASS_API_KEY\`
3. \`credentials.json\` in the data directory of a service on this computer: in \`SANDGLASS_DATA\`, or in \`data\` in the
   current folder or one above it

In a browser everything is passed, and the service lists the origin of the page in \`SANDGLASS_CORS_ORIGINS\`. Whoever opens
the page can read the API key, so give pages of other people a backend of yours instead. Deno asks for \`--allow-net\`,
\`--allow-env\` and \`--allow-read\`.

A service behind a base path is reached by a \`url\` with that path. To use a proxy, pass a \`fetch\` that does.

## Time limits and retries

Every method takes \`signal\` and \`timeoutMs\` ([CallOptions](#calloptions)). A call takes ${seconds} seconds at most, with all its
attempts; operations that run until they are done have no limit. Without an answer in time, it fails with \`TimeoutError\`.
An abort by your own signal rejects with the reason of the signal.

A call is repeated up to ${constantOf('usualRetries')} times, but only if that is safe:

| what happened | what is repeated |
|---|---|
| nothing answers at the address, so nothing was sent | every call |
| 429 or 503 of the service with \`Retry-After\`: it has refused the call | every call |
| the connection was lost, or 502, 503 or 504 without a word of the service: it may have done it | calls that only read, PUT and DELETE, and creates, which have an \`Idempotency-Key\`, unless their answer has a secret that is shown once |
| anything else | nothing |

The waits begin at ${constantOf('firstWaitMs')} ms and double up to ${constantOf('longestWaitMs') / 1000} s, with some chance, or are as long as \`Retry-After\` says. If
that is more than ${constantOf('longestRetryAfterSeconds')} seconds or the rest of the time limit, the error is thrown at once. A body that is a stream is sent once.
Streams of events continue after the last event by themselves.

## Errors

Everything that is thrown is a \`SandglassError\`, except for the reason of your own signal. It has a \`code\`
([all codes](errors.md)), a \`message\` that says what to do, and, if the service answered, \`status\` and \`requestId\`.

\`\`\`js
import { NotFoundError, Sandbox } from 'sandglass'

const box = Sandbox.connect(id)
await box.info().catch(error => {
  if (error instanceof NotFoundError) console.log('It is gone.', error.requestId)
  else throw error
})
\`\`\`

| class | when | status |
|---|---|---|
${clientErrorRows(statusesByClass()).join('\n')}

The library's own codes: ${clientCodes.map(code => `\`${code}\``).join(', ')}.

${declarationSections()}
## Operations

\`Sandglass\` has a method for every operation, also for those that the classes above use. It takes the values of the path and
of the query by name and the body as \`body\`, and then [CallOptions](#calloptions). The organization is that of the
client unless \`orgId\` is passed. \`client.stream(id, input)\` follows an operation that can answer with events, and
\`client.all(id, input)\` lists everything, page by page.

\`\`\`js
import { Sandglass } from 'sandglass'

const client = new Sandglass()
for await (const { id, status } of client.all('listSandboxes')) console.log(id, status)
for await (const event of client.stream('listEvents', { types: 'sandbox.*' })) console.log(event.type)
\`\`\`

${operationTables()}
`
}

function statusesByClass(): ReadonlyMap<string, readonly number[]> {
  return Map.groupBy(statuses, status => errorClassOf(status).name)
}
