import { nameText, type PictureName, parseName } from './picture-name.ts'

/** Whose screen a picture shows. Pictures of before this was recorded have no owner. */
export interface PictureOwner {
  readonly orgId: string
  readonly sandboxId: string
}

export interface OwnedName {
  readonly name: PictureName
  readonly owner: PictureOwner | undefined
}

const idPattern = /^[\w-]{1,40}$/

/** The name of a picture with its owner in front, as stores keep it with each id. */
export function ownedText({ name, owner }: OwnedName): string {
  return owner ? `${owner.orgId}.${owner.sandboxId}.${nameText(name)}` : nameText(name)
}

export function parseOwned(text: string): OwnedName | undefined {
  const unowned = parseName(text)
  if (unowned) return { name: unowned, owner: undefined }
  const [orgId = '', sandboxId = '', ...rest] = text.split('.')
  const name = parseName(rest.join('.'))
  if (!name || !idPattern.test(orgId) || !idPattern.test(sandboxId)) return undefined
  return { name, owner: { orgId, sandboxId } }
}
