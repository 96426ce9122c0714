import { readFileSync } from 'node:fs'

/** A class of the real packages, and how programs that use it name what has its methods. */
export interface DeclaredClass {
  readonly package: 'e2b' | '@e2b/desktop'
  readonly name: string
  /** Before its static methods. */
  readonly asClass: string
  /** Before the methods of its instances. */
  readonly asInstance: string
}

/** The classes whose methods programs call. */
export const declaredClasses: readonly DeclaredClass[] = [
  { package: 'e2b', name: 'SandboxApi', asClass: 'Sandbox', asInstance: 'sandbox' },
  { package: 'e2b', name: 'Sandbox', asClass: 'Sandbox', asInstance: 'sandbox' },
  { package: 'e2b', name: 'SandboxPaginator', asClass: '', asInstance: 'sandboxes' },
  { package: 'e2b', name: 'SnapshotPaginator', asClass: '', asInstance: 'snapshots' },
  { package: 'e2b', name: 'Commands', asClass: '', asInstance: 'sandbox.commands' },
  { package: 'e2b', name: 'CommandHandle', asClass: '', asInstance: 'command' },
  { package: 'e2b', name: 'Pty', asClass: '', asInstance: 'sandbox.pty' },
  { package: 'e2b', name: 'Filesystem', asClass: '', asInstance: 'sandbox.files' },
  { package: 'e2b', name: 'WatchHandle', asClass: '', asInstance: 'watch' },
  { package: 'e2b', name: 'Git', asClass: '', asInstance: 'sandbox.git' },
  { package: 'e2b', name: 'TemplateBase', asClass: 'Template', asInstance: 'template' },
  { package: 'e2b', name: 'Volume', asClass: 'Volume', asInstance: 'volume' },
  { package: 'e2b', name: 'Secret', asClass: 'Secret', asInstance: 'secret' },
  { package: 'e2b', name: 'SecretPaginator', asClass: '', asInstance: 'secrets' },
  { package: '@e2b/desktop', name: 'Sandbox', asClass: 'desktop.Sandbox', asInstance: 'desktop' },
  { package: '@e2b/desktop', name: 'VNCServer', asClass: '', asInstance: 'desktop.stream' },
]

export interface DeclaredMethod {
  readonly isStatic: boolean
  readonly name: string
}

/** Returns the public methods of a class, in the order of its declaration. The packages mark those that are not public there. */
export function declaredMethods({ package: from, name }: DeclaredClass): DeclaredMethod[] {
  const [, body] =
    new RegExp(`^declare class ${name} .*\\{\\n([^]*?)\\n\\}`, 'm').exec(declarationsOf(from)) ?? []
  if (body === undefined) throw new Error(`${from} declares no class ${name}`)
  const methods = new Map<string, DeclaredMethod>()
  for (const [, isStatic, method] of body.matchAll(/^ {2}(static )?(\w+)(?:<.*>)?\(/gm))
    if (method && method !== 'constructor')
      methods.set(`${isStatic}${method}`, { isStatic: isStatic !== undefined, name: method })
  return [...methods.values()]
}

/** Returns the name of a method as programs write it. */
export function labelOf({ asClass, asInstance }: DeclaredClass, { isStatic, name }: DeclaredMethod): string {
  return `${isStatic ? asClass : asInstance}.${name}`
}

const declarations = new Map<string, string>()

function declarationsOf(name: DeclaredClass['package']): string {
  const found =
    declarations.get(name) ?? readFileSync(new URL(`index.d.mts`, import.meta.resolve(name)), 'utf8')
  declarations.set(name, found)
  return found
}
