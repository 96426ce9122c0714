import { findSections } from './find-sections.ts'
import type { FoundSection } from './found-section.ts'

/** The search, which reads the texts of all pages once somebody types into it. */
export function addSearch(): void {
  const search = document.querySelector<HTMLElement>('search')
  const input = search?.querySelector('input')
  const list = search?.querySelector<HTMLElement>('.found')
  const status = search?.querySelector('[role=status]')
  if (!search || !input || !list || !status) return
  let sections: Promise<readonly FoundSection[]> | undefined

  const show = async () => {
    const text = input.value
    sections ??= readSections()
    const all = await sections
    // Meanwhile something else may have been typed.
    if (input.value !== text) return
    const found = findSections(all, text)
    list.replaceChildren(...found.map(itemOf))
    list.hidden = found.length === 0
    status.textContent =
      text.trim() === '' ? '' : found.length === 0 ? 'Nothing found' : `${found.length} found`
    status.classList.toggle('unseen', found.length > 0 || text.trim() === '')
  }
  const close = () => {
    list.hidden = true
  }

  input.addEventListener('input', () => void show())
  search.addEventListener('keydown', event => {
    if (event.key === 'Escape') close()
    if (event.key === 'Enter' && event.target === input) list.querySelector('a')?.click()
    moveInList(event, [input, ...list.querySelectorAll('a')])
  })
  document.addEventListener('click', event => {
    if (event.target instanceof Node && !search.contains(event.target)) close()
  })
  list.addEventListener('click', close)
  addEventListener('keydown', event => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target instanceof Element && event.target.matches('input, textarea, select')) return
    event.preventDefault()
    input.focus()
  })
  search.hidden = false
}

async function readSections(): Promise<readonly FoundSection[]> {
  const response = await fetch(document.body.dataset['search'] ?? '')
  return response.ok ? response.json() : []
}

function itemOf({ page, heading, address, text }: FoundSection): HTMLElement {
  const link = document.createElement('a')
  link.href = address
  const title = document.createElement('strong')
  title.textContent = heading === '' ? page : `${heading} · ${page}`
  const beginning = document.createElement('span')
  beginning.textContent = text.slice(0, 120)
  link.append(title, beginning)
  const item = document.createElement('li')
  item.append(link)
  return item
}

function moveInList(event: KeyboardEvent, stops: readonly HTMLElement[]): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const next = stops[stops.indexOf(event.target as HTMLElement) + step]
  if (step === 0 || !next) return
  event.preventDefault()
  next.focus()
}
