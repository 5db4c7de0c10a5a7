/** Reports how tall a page wants to be. Width is not reported: a view takes the width it is given. */

/** Long enough for one layout to settle, short enough not to be seen. */
const INTERVAL_MS = 50;

/**
 * Calls `report` with the height in whole pixels, at once and after every change, at most once per interval.
 * Returns a function that ends it.
 */
export function observeHeight(page: Document, report: (height: number) => void): () => void {
  let reported: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const measure = () => {
    timer = undefined;
    const height = naturalHeight(page.documentElement);
    if (height !== reported) report((reported = height));
  };
  const observer = new ResizeObserver(() => {
    timer ??= setTimeout(measure, INTERVAL_MS);
  });

  measure();
  observer.observe(page.documentElement);
  observer.observe(page.body);
  return () => {
    observer.disconnect();
    clearTimeout(timer);
  };
}

/** The content's height even when the page is stretched to its frame, so that a frame can shrink again. */
function naturalHeight(root: HTMLElement): number {
  const { height } = root.style;
  root.style.height = "max-content";
  const natural = Math.ceil(root.getBoundingClientRect().height);
  root.style.height = height;
  return natural;
}
