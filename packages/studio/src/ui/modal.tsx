import { type ReactNode, useLayoutEffect, useRef } from 'react';

interface ModalProps {
  readonly className: string;
  readonly label: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

/** A dialog above the page. A press beside it closes it, as Escape does, and the focus returns to where it was. */
export function Modal({ className, label, onClose, children }: ModalProps): ReactNode {
  const dialog = useRef<HTMLDialogElement>(null);
  // Synchronously, because the next key press is meant for it.
  useLayoutEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className={className}
      aria-label={label}
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && onClose()}
    >
      {children}
    </dialog>
  );
}
