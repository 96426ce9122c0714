/** Moves the focus in a tree as its role promises. Returns whether the key means something there. */
export function focusByKey(key: string, item: HTMLElement, tree: HTMLElement): boolean {
  const items = [...tree.querySelectorAll<HTMLElement>('[role=treeitem]')]
  const at = items.indexOf(item)
  const next = {
    ArrowDown: items[at + 1],
    ArrowUp: items[at - 1],
    Home: items[0],
    End: items.at(-1),
    ArrowRight: items.slice(at + 1, at + 2).find(other => levelOf(other) > levelOf(item)),
    ArrowLeft: items.slice(0, at).findLast(other => levelOf(other) < levelOf(item)),
  }
  if (!(key in next)) return false
  next[key as keyof typeof next]?.focus()
  return true
}

function levelOf(item: HTMLElement): number {
  return Number(item.ariaLevel)
}
