import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { classes } from './classes.ts'

/** Something that has to be finished or closed before the page goes on. */
export function Dialog({
  title,
  about,
  isOpen,
  onClose,
  isWide,
  children,
}: {
  title: string
  about?: string
  isOpen: boolean
  onClose: () => void
  isWide?: boolean
  children: ReactNode
}) {
  return (
    <Radix.Root open={isOpen} onOpenChange={open => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/50" />
        <Radix.Content
          {...(about ? {} : { 'aria-describedby': undefined })}
          className={classes(
            'fixed inset-x-0 bottom-0 z-40 mx-auto max-h-[92dvh] w-full overflow-y-auto rounded-t-xl border border-line bg-panel p-5 shadow-shade',
            'md:top-1/2 md:bottom-auto md:-translate-y-1/2 md:rounded-xl',
            isWide ? 'md:max-w-3xl' : 'md:max-w-lg',
          )}
        >
          <div className="mb-4 flex items-start justify-between gap-3">
            <div>
              <Radix.Title className="text-lg font-semibold">{title}</Radix.Title>
              {about && <Radix.Description className="text-quiet">{about}</Radix.Description>}
            </div>
            {/* Without a tip, which would take the first press of Escape. */}
            <Radix.Close asChild>
              <Button look="quiet" size="icon" aria-label="Close" className="-mt-1 -mr-2">
                <X />
              </Button>
            </Radix.Close>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
