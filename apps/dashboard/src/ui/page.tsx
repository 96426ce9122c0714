import { type ReactNode, useEffect } from 'react'

/** The frame of a page: its title, what can be done on it, and its contents. */
export function Page({
  title,
  about,
  actions,
  children,
}: {
  title: string
  about?: string | undefined
  actions?: ReactNode
  children: ReactNode
}) {
  useTitle(title)
  return (
    <div className="mx-auto flex w-full max-w-7xl flex-col gap-4 p-4 md:p-6">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0">
          <h1 className="truncate text-xl font-semibold">{title}</h1>
          {about && <p className="text-quiet">{about}</p>}
        </div>
        {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  )
}

/** Names the tab of the browser after the page. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Sandglass`
  }, [title])
}
