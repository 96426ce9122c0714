import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { guideAssets } from './addresses.ts'

/** The files that the pages need. Their names contain a hash, so that a browser can keep them for ever. */
export class GuideAssets {
  readonly #root: string
  readonly #files = new Map<string, Buffer>()

  constructor(root: string) {
    this.#root = root
  }

  /** Takes a picture of the repository, and returns where it will be served. */
  picture(file: string): string {
    return this.add(basename(file), readFileSync(join(this.#root, file)))
  }

  add(name: string, content: Buffer): string {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 10)
    const extension = extname(name)
    const hashed = `${basename(name, extension)}-${hash}${extension}`
    this.#files.set(hashed, content)
    return `${guideAssets}/${hashed}`
  }

  async write(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true })
    for (const [name, content] of this.#files) {
      await writeFile(join(folder, name), content)
      if (/\.(json|svg)$/.test(name)) await writeFile(join(folder, `${name}.br`), await compressed(content))
    }
  }
}

function compressed(content: Buffer): Promise<Buffer> {
  return promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } })
}
