import { type Instance, idOfInstance, idOfPrepared, instanceOf } from './instance.ts'

/**
 * Which instance a machine has. It is named after the machine, unless it was prepared before the machine was wanted: Incus renames no
 * instance that runs.
 */
export class InstanceNames {
  readonly #names = new Map<string, string>()
  readonly #ids = new Map<string, string>()

  of(id: string): string {
    return this.#names.get(id) ?? instanceOf(id)
  }

  /** The id of the machine that an instance is; undefined if it is none, or if nobody has said so yet. */
  idOf(name: string): string | undefined {
    return idOfInstance(name) ?? this.#ids.get(name)
  }

  /** The name that a handle needs, which is none if the instance is named after the machine. */
  ofHandle(id: string): string | undefined {
    const name = this.of(id)
    return name === instanceOf(id) ? undefined : name
  }

  /** Notes what a handle says. Its machine may have got another instance since. */
  told(id: string, name: string | undefined): void {
    if (name !== undefined && !this.#names.has(id)) this.set(id, name)
  }

  /** Notes what Incus says. The configuration is missing while the member of an instance is away. */
  seen(instance: Instance): void {
    const id = idOfPrepared(instance)
    if (id !== undefined) this.set(id, instance.name)
  }

  set(id: string, name: string): void {
    this.drop(id)
    this.#names.set(id, name)
    this.#ids.set(name, id)
  }

  /** Call this if a machine has not the instance that it is known to have. Returns whether it may have another one. */
  isOutdated(id: string): boolean {
    if (this.ofHandle(id) === undefined) return false
    this.set(id, instanceOf(id))
    return true
  }

  /** Call this when an instance was removed. */
  gone(name: string): void {
    const id = this.#ids.get(name)
    if (id !== undefined) this.drop(id)
  }

  drop(id: string): void {
    this.#ids.delete(this.#names.get(id) ?? '')
    this.#names.delete(id)
  }
}
