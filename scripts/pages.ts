import * as protocol from '@sandglass/protocol'
import { errors, type Operation } from '@sandglass/protocol'
import { registry } from '../packages/server/src/engines/registry.ts'
import type { SettingTable } from '../packages/server/src/setting-table.ts'
import { settingTable } from '../packages/server/src/settings.ts'
import { parsersPage } from './parsers-page.ts'

/** The pages of docs/ that are made from the code, by their file names. */
export function pages(): Readonly<Record<string, string>> {
  return {
    'errors.md': errorsPage(),
    'settings.md': settingsPage(),
    'api-additions.md': additionsPage(),
    'parsers.md': parsersPage(),
  }
}

function errorsPage(): string {
  const rows = Object.entries(errors).map(
    ([code, { status, message, hint }]) => `| \`${code}\` | ${status} | ${message} | ${hint} |`,
  )
  return `# Errors

Every error of every operation is \`{code, message, requestId, …}\` with one of these codes. \`code\` is stable; \`message\`
says what is wrong and what would mend it, and may name the thing that is wrong more exactly than here. An error that a
repeat may mend carries \`Retry-After\`. \`request.INVALID\` lists in \`issues\` each field that does not validate, by its
\`path\`.

| code | status | what is wrong | what would mend it |
|---|---|---|---|
${rows.join('\n')}
`
}

function settingRows(table: SettingTable): string {
  return Object.entries(table)
    .map(([name, setting]) => {
      const fallback = setting.default ? `\`${setting.default}\`` : ''
      return `| \`${name}\` | ${fallback} | ${setting.about} |`
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

Settings come from the environment. A wrong one stops the start with a sentence that names it, and so does a
\`SANDGLASS_\` name that is not on this page.

| name | default | what it sets |
|---|---|---|
${settingRows(settingTable)}

${engines.join('\n')}
Traces go to where OpenTelemetry's own variables say (\`OTEL_EXPORTER_OTLP_ENDPOINT\` and its kin); without them nothing
is traced.
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

Operations of our own, beyond the published contract and in its style. \`/docs\` describes them in full.

| operation | method and path | who | what |
|---|---|---|---|
${rows.join('\n')}

Fields of our own, all optional, on operations of the contract:

| operation | field | meaning |
|---|---|---|
| createSandbox | \`egress\` | \`internet\` (the default), \`none\`, or a list of \`{cidr, ports?}\`: where the machine may send packets. Private networks only as the operator allows. |
| createSandbox | \`env\`, \`labels\`, \`screen: {width, height}\` | variables of every process, labels to find it by, the size of its screen |
| createSandbox | \`idleSeconds\` | deletes the sandbox when no call to it came for so long |
| listSandboxes | \`?projectId=\`, \`?status=\`, \`?label=name=value\` | narrows the list |
| Sandbox (in answers) | \`labels\`, \`reason\`, \`paused\` | its labels; why it is STOPPED or in ERROR; whether it was paused |
| execSandboxProcess | \`timeoutSeconds\`; \`timedOut\`, \`stdoutTruncated\`, \`stderrTruncated\` (in answers) | ends a program that takes longer, 60 unless given; that it was ended; that only the first MiB is there |
| readSandboxShell (in answers) | \`exitCode\`, \`timedOut\`, \`droppedBytes\` | how the command ended; how much output was not kept |
| shell streams | \`{"dropped": base64}\`, \`id\` of each event | how many bytes a reader missed, where it did; for \`Last-Event-ID\` |
| parse operations | \`screenWidth\`, \`screenHeight\`, \`imageWidth\`, \`imageHeight\` | turn the pixels of a resized image into the right place on the screen |

Headers of our own, on operations of the contract too:

| header | meaning |
|---|---|
| \`Idempotency-Key\` (request) | On every POST that makes something: the same answer for the same key and caller within 24 hours, without its secrets; 409 where the request differs. |
| \`X-Request-Id\` | The id of the request, in every answer and log line. One that a proxy sends is kept. |
| \`RateLimit-Limit\`, \`RateLimit-Remaining\`, \`RateLimit-Reset\` | The requests a minute of this credential, those left, and the seconds until they are counted anew. |
| \`Last-Event-ID\` (request), \`X-Sandglass-Shell\` | On streams of a shell: the event after which to go on; the id of the shell. |
| \`Deprecation\`, \`Link\` | On deprecated operations: since when, and the successor. |
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
