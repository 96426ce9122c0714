import { readFileSync } from 'node:fs'
import { type MethodNote, methodNotes } from '../packages/server/src/doors/e2b/method-notes.ts'
import {
  declaredClasses,
  declaredMethods,
  labelOf,
} from '../packages/server/src/testing/e2b-calls/declared-methods.ts'
import { recordedCalls } from '../packages/server/src/testing/e2b-calls/recorded-calls.ts'

const [begin, end] = ['<!-- methods -->', '<!-- end of methods -->']

const sections = [
  { title: 'Sandboxes', classes: ['SandboxApi', 'Sandbox', 'SandboxPaginator', 'SnapshotPaginator'] },
  { title: 'Commands and terminals', classes: ['Commands', 'CommandHandle', 'Pty'] },
  { title: 'Files', classes: ['Filesystem', 'WatchHandle'] },
  { title: 'Git', classes: ['Git'] },
  { title: 'Templates', classes: ['TemplateBase'] },
  { title: 'Volumes and secrets', classes: ['Volume', 'Secret', 'SecretPaginator'] },
]

/** docs/e2b.md, whose table of methods is made from what the tests of the door have called in the real packages. */
export function e2bPage(): string {
  const page = readFileSync(new URL('../docs/e2b.md', import.meta.url), 'utf8')
  const [before, rest = ''] = page.split(begin)
  const [, after] = rest.split(end)
  if (after === undefined) throw new Error(`docs/e2b.md has no ${begin} and ${end}`)
  return `${before}${begin}\n\n${methodTables()}\n${end}${after}`
}

function methodTables(): string {
  const ofPackage = sections.map(({ title, classes }) => {
    const declared = declaredClasses.filter(one => one.package === 'e2b' && classes.includes(one.name))
    return `### ${title}\n\n${tableOf(declared)}`
  })
  const desktop = declaredClasses.filter(one => one.package === '@e2b/desktop')
  return [...ofPackage, `### \`@e2b/desktop\`\n\n${tableOf(desktop)}`].join('\n')
}

function tableOf(classes: typeof declaredClasses): string {
  const labels = classes.flatMap(declared =>
    declaredMethods(declared).map(method => labelOf(declared, method)),
  )
  return `| method | | notes |\n|---|---|---|\n${[...new Set(labels)].map(rowOf).join('\n')}\n`
}

function rowOf(label: string): string {
  const note: MethodNote | undefined = methodNotes[label]
  return `| \`${label}\` | ${statusOf(label, note)} | ${note?.text ?? ''} |`
}

const { worked, refused } = recordedCalls()

/** Whether a method works is known from the tests alone. A note can only say that it does not do all that it does elsewhere. */
function statusOf(label: string, note: MethodNote | undefined): string {
  if (worked.includes(label)) return note?.partly ? 'partly' : 'yes'
  if (refused.includes(label)) return 'no'
  throw new Error(`No test calls ${label}. Add one, and run npm run e2b-methods.`)
}
