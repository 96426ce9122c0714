import type { CreatedFile } from '@sandglass/machines/contract'

/** A client reads its picture at once. One that has not by then opens the file anew. */
const keptMs = 250

interface Created {
  readonly file: CreatedFile
  readonly timer: NodeJS.Timeout
}

/** Files that were just created in their machines, where the processes that wrote them wait a moment to read them. */
export class CreatedPictures {
  readonly #byPlace = new Map<string, Created>()

  keep(sandboxId: string, path: string, file: CreatedFile): void {
    const place = placeOf(sandboxId, path)
    this.#take(place)?.close()
    const timer = setTimeout(() => this.#take(place)?.close(), keptMs).unref()
    this.#byPlace.set(place, { file, timer })
  }

  /** Returns the file if it was created a moment ago. The caller opens or closes it. */
  take(sandboxId: string, path: string): CreatedFile | undefined {
    return this.#take(placeOf(sandboxId, path))
  }

  #take(place: string): CreatedFile | undefined {
    const created = this.#byPlace.get(place)
    clearTimeout(created?.timer)
    this.#byPlace.delete(place)
    return created?.file
  }
}

const placeOf = (sandboxId: string, path: string) => `${sandboxId} ${path}`
