import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { after } from 'node:test'
import { Sandbox as DesktopSandbox } from '@e2b/desktop'
import * as e2b from 'e2b'
import { type DeclaredClass, declaredClasses, declaredMethods, labelOf } from './declared-methods.ts'
import { type Calls, callsFile } from './recorded-calls.ts'

const refusals = [
  e2b.SandboxError,
  e2b.AuthenticationError,
  e2b.BuildError,
  e2b.ServiceBusyError,
  e2b.VolumeError,
  e2b.SecretError,
]

/**
 * Records which methods of the real packages the tests of a file call, and whether they work or are refused with an error of
 * the client. After the tests, that must be what the file next to it says, of which docs/e2b.md is made.
 */
export function recordCalls(testFile: string): void {
  const recorder = new Recorder()
  const file = callsFile(testFile)
  after(() => {
    const calls = recorder.calls()
    if (process.env['E2B_CALLS'] === 'write') writeFileSync(file, `${JSON.stringify(calls, null, 2)}\n`)
    const known: unknown = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : undefined
    assert.deepEqual(calls, known, `npm run e2b-methods writes ${file}`)
  })
}

class Recorder {
  readonly #worked = new Set<string>()
  readonly #refused = new Set<string>()
  readonly #watched = new Set<object>()
  /** Set while a method runs, because what a method calls by itself is no call of a test. */
  readonly #inside = new AsyncLocalStorage<true>()
  /** What was called on each builder of a template. Whether that works is known when the template has been built. */
  readonly #built = new WeakMap<object, Set<string>>()

  constructor() {
    for (const root of [e2b.Sandbox, e2b.TemplateBase, e2b.Volume, e2b.Secret]) this.#watchClass(root, 'e2b')
    this.#watchClass(Object.getPrototypeOf(e2b.Sandbox), 'e2b')
    this.#watchClass(DesktopSandbox, '@e2b/desktop')
  }

  calls(): Calls {
    const refused = [...this.#refused].filter(name => !this.#worked.has(name))
    return { worked: [...this.#worked].sort(), refused: refused.sort() }
  }

  #watchClass(found: { readonly name: string; readonly prototype: object }, from: DeclaredClass['package']) {
    const declared = declaredClasses.find(one => one.package === from && one.name === found.name)
    if (!declared || this.#watched.has(found)) return
    this.#watched.add(found)
    for (const method of declaredMethods(declared)) {
      const owner = method.isStatic ? found : found.prototype
      if (Object.hasOwn(owner, method.name)) this.#watch(owner, method.name, labelOf(declared, method))
    }
  }

  #watch(owner: object, name: string, label: string): void {
    const original: unknown = Reflect.get(owner, name)
    if (typeof original !== 'function') return
    const call = (self: object, args: unknown[]) => this.#call(label, self, args, original)
    const value = function (this: object, ...args: unknown[]) {
      return call(this, args)
    }
    Object.defineProperty(owner, name, { value, configurable: true, writable: true })
  }

  // biome-ignore lint/complexity/noBannedTypes: any method of the packages is called here.
  #call(label: string, self: object, args: unknown[], original: Function): unknown {
    if (this.#inside.getStore()) return Reflect.apply(original, self, args)
    return this.#inside.run(true, () => {
      let result: unknown
      try {
        result = Reflect.apply(original, self, args)
      } catch (error) {
        this.#fail([label], error)
        throw error
      }
      if (self instanceof e2b.TemplateBase) this.#built.set(self, this.#calledOn(self).add(label))
      else if (result instanceof Promise) this.#settle(label, args, result)
      else this.#succeed([label], result)
      return result
    })
  }

  #settle(label: string, [template]: unknown[], result: Promise<unknown>): void {
    const called = label === 'Template.build' ? this.#calledOn(template) : []
    result.then(
      value => this.#succeed([label, ...called], value),
      error => this.#fail([label, ...called], error),
    )
  }

  #calledOn(template: unknown): Set<string> {
    return (template instanceof e2b.TemplateBase && this.#built.get(template)) || new Set()
  }

  #succeed(labels: readonly string[], result: unknown): void {
    for (const label of labels) this.#worked.add(label)
    this.#watchResult(result)
  }

  #fail(labels: readonly string[], error: unknown): void {
    if (!refusals.some(refusal => error instanceof refusal)) return
    for (const label of labels) this.#refused.add(label)
  }

  /** Watches the classes that the packages do not export, by the first of their instances. */
  #watchResult(result: unknown): void {
    if (typeof result !== 'object' || result === null) return
    for (const found of [result, ...Object.values(result)])
      if (typeof found === 'object' && found !== null && typeof found.constructor === 'function')
        this.#watchClass(found.constructor, found instanceof DesktopSandbox ? '@e2b/desktop' : 'e2b')
    if (result instanceof DesktopSandbox)
      this.#watchClass(Object.getPrototypeOf(result.stream).constructor, '@e2b/desktop')
  }
}
