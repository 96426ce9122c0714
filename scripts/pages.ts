import * as protocol from '@sandglass/protocol'
import { errors, type Operation } from '@sandglass/protocol'
import { registry } from '../packages/server/src/engines/registry.ts'
import type { SettingTable } from '../packages/server/src/setting-table.ts'
import { settingTable } from '../packages/server/src/settings.ts'
import { cliPage } from './cli-page.ts'
import { clientPage } from './client-page.ts'
import { e2bPage } from './e2b-page.ts'
import { eventsPage } from './events-page.ts'
import { parsersPage } from './parsers-page.ts'

/** The pages of docs/ that are generated from the code, by file name. */
export function pages(): Readonly<Record<string, string>> {
  return {
    'errors.md': errorsPage(),
    'settings.md': settingsPage(),
    'api-additions.md': additionsPage(),
    'parsers.md': parsersPage(),
    'events.md': eventsPage(),
    'cli.md': cliPage(),
    'client.md': clientPage(),
    'e2b.md': e2bPage(),
  }
}

function errorsPage(): string {
  const rows = Object.entries(errors).map(
    ([code, { status, message, hint }]) => `| \`${code}\` | ${status} | ${message} | ${hint} |`,
  )
  return `# Errors

Every operation reports errors as \`{code, message, requestId, …}\` with one of these codes. \`code\` is stable. \`message\`
says what is wrong and how to fix it; it may be more specific than the text below. An error that may go away on its own
carries \`Retry-After\`. \`request.INVALID\` lists each invalid field with its \`path\` in \`issues\`.

| code | status | what is wrong | how to fix it |
|---|---|---|---|
${rows.join('\n')}
`
}

function settingRows(table: SettingTable): string {
  return Object.entries(table)
    .map(([name, setting]) => {
      const fallback = setting.default ? `\`${setting.default}\`` : ''
      const asFile =
        setting.secret && !(`${name}_FILE` in table) ? ` Or \`${name}_FILE\`: a file with it.` : ''
      return `| \`${name}\` | ${fallback} | ${setting.about}${asFile} |`
    })
    .join('\n')
}

function settingsPage(): string {
  const engines = registry.map(
    ({ name, settings }) => `## Engine \`${name}\`

| name | default | what it sets |
|---|---|---|
${settingRows(settings)}
`,
  )
  return `# Settings

Settings are environment variables, or lines of the file that \`SANDGLASS_CONFIG\` names
([deployment.md](deployment.md#settings-in-a-file)). If a value is not valid, or if a name is not on this page, the service
does not start and prints which one is wrong. Every secret can be given as the path of a file that contains it, with
\`_FILE\` after its name ([deployment.md](deployment.md#secrets-in-files)).

| name | default | what it sets |
|---|---|---|
${settingRows(settingTable)}

${engines.join('\n')}
Traces are exported as OpenTelemetry's own variables say (\`OTEL_EXPORTER_OTLP_ENDPOINT\` and related ones). Without them
nothing is traced.
`
}

function additionsPage(): string {
  const rows = Object.values<unknown>(protocol)
    .filter(isOperation)
    .filter(({ addition }) => addition)
    .sort(
      (a, b) =>
        a.tag.localeCompare(b.tag) || a.path.localeCompare(b.path) || a.method.localeCompare(b.method),
    )
    .map(
      ({ id, method, path, access, summary }) =>
        `| ${id} | ${method} \`${path}\` | ${whoOf(access)} | ${summary} |`,
    )
  return `# API additions

Operations that Sandglass adds to the published contract, in the same style. \`/docs\` describes them in full.

| operation | method and path | required role | description |
|---|---|---|---|
${rows.join('\n')}

Fields that Sandglass adds to operations of the contract. All of them are optional:

| operation | field | meaning |
|---|---|---|
| createSandbox | \`egress\` | \`internet\` (the default), \`none\`, or a list of \`{cidr, ports?}\` and \`{host, ports?}\`: where the machine may send packets. A \`host\` is a name such as \`example.com\`, or \`*.example.com\`; no other name resolves. Private networks are reachable only if the operator allows them. |
| createSandbox | \`env\`, \`labels\`, \`screen: {width, height}\` | environment variables of every process, labels to filter by, the size of the screen |
| createSandbox, createSandboxFromImage, forkSandbox | \`lifecycle: {onTimeout, autoResume, idleSeconds, onIdle}\` | what happens when its time is up and when it is idle, and whether a call wakes it ([the life of a sandbox](lifecycle.md)) |
| createSandbox | \`idleSeconds\` | the same as \`lifecycle.idleSeconds\` |
| createSandbox, createSandboxFromImage | \`volumes: [{name, path, readOnly?}]\` | the [volumes](volumes.md) that the sandbox has |
| createSandbox, getSandbox | \`?wait=\`; \`wait\` also in the body of createSandbox | seconds to wait while the sandbox is PENDING, at most 60: the response is sent as soon as it is RUNNING or has failed, or with the status that it has when the time is over |
| listSandboxes | \`?project=\` (or \`?projectId=\`), \`?status=\`, \`?label=name=value\` | filters the list |
| listSandboxes | \`?search=\`, \`?sort=\` | only those whose name or id contains a text; the order of the list |
| listSandboxes | \`?limit=\`, \`?cursor=\`; \`?ended=true\` | pages of the list; sandboxes that have ended, with \`ended: {at, reason}\` |
| Sandbox (in responses) | \`labels\`, \`reason\`, \`paused\`, \`hibernated\`, \`lifecycle\` | its labels; why it is STOPPED or in ERROR, or from what it was [started elsewhere](cluster-failures.md); whether it is paused or hibernated; its rules, if it has any |
| createMachineImage | \`deleteSandbox\`; \`pauseMs\` (in responses) | deletes the sandbox once the image is READY; for how long programs could not write |
| Image (in responses) | \`reason\`, \`sizeMiB\` | why it is in ERROR; what it occupies by itself |
| createSandboxFromImage | \`egress\`, \`env\`, \`labels\`, \`screen\`, \`idleSeconds\`, \`wait\` | as in createSandbox; the screen is that of the saved sandbox by default |
| executeSandboxAction, previewSandbox | \`includeImage\`; \`image: {mediaType, base64, width, height}\`, \`imageError\` (in responses) | the screenshot itself in the response, so that it need not be fetched |
| createHttpMapping | \`waitSeconds\`; also in responses, if it was chosen | how long the program may take to begin its response: 300 by default, at most 1800. A call for a port that is mapped already changes it |
| Shape (in responses) | \`simulated\` | whether its machines only simulate its \`os\`, as the phone simulator does |
| execSandboxProcess | \`timeoutSeconds\`; \`timedOut\`, \`stdoutTruncated\`, \`stderrTruncated\` (in responses) | the timeout, 60 by default; whether the program was killed because of it; whether only the first MiB of the output is included |
| readSandboxShell (in responses) | \`exitCode\`, \`timedOut\`, \`droppedBytes\` | how the command ended; how much output was dropped |
| writeSandboxShell | \`dataBase64\` | the bytes to write, instead of \`data\`, for input that is not text; exactly one of the two is required |
| shell streams | \`{"dropped": base64}\`, \`id\` of each event | how many bytes a slow reader missed at this point; the id to send in \`Last-Event-ID\` |
| parse operations | \`screenWidth\`, \`screenHeight\`, \`imageWidth\`, \`imageHeight\` | convert pixels of a resized image to the right place on the screen; with them, the response has \`coordinates: {unit, reason}\`, the unit that all coordinates of the text have |

Headers that Sandglass adds, on operations of the contract as well:

| header | meaning |
|---|---|
| \`Idempotency-Key\` (request) | On every POST that creates something: within 24 hours, the same key from the same caller returns the same response, without its secrets; 409 if the request differs. |
| \`X-Request-Id\` | The id of the request, in every response and log line. An id that a proxy sends is kept. |
| \`RateLimit-Limit\`, \`RateLimit-Remaining\`, \`RateLimit-Reset\` | This credential's requests per minute, how many are left, and the seconds until the count restarts. |
| \`X-Next-Cursor\` | On pages of listSandboxes: the \`cursor\` of the next page. The last page has none. |
| \`X-Total-Count\` | On listSandboxes: how many sandboxes there are on all pages. |
| \`Last-Event-ID\` (request), \`X-Sandglass-Shell\` | On streams of shells and of [events](events.md): the event after which to continue. On streams of shells: the id of the shell. |
| \`Deprecation\`, \`Link\` | On deprecated operations: the date of the deprecation, and the successor. |
`
}

function isOperation(value: unknown): value is Operation {
  return (
    typeof value === 'object' && value !== null && 'path' in value && 'access' in value && 'method' in value
  )
}

function whoOf(access: Operation['access']): string {
  return access.to === 'organization' ? access.role : access.to
}
