// Shows which words of a transcript are being said, and plays from where somebody clicks.

const follow = (words) => {
  const audio = document.getElementById(words.dataset.follows);
  if (!audio) return;
  const parts = [...words.querySelectorAll('[data-start]')];
  let current = null;

  const mark = () => {
    const now = audio.currentTime;
    const next = parts.findLast(({ dataset }) => Number(dataset.start) <= now && now < Number(dataset.end)) ?? null;
    if (next === current) return;
    current?.classList.remove('said');
    next?.classList.add('said');
    current = next;
  };

  for (const name of ['timeupdate', 'seeked', 'ended']) audio.addEventListener(name, mark);
  words.classList.add('can-seek');
  words.addEventListener('click', ({ target }) => {
    const part = target.closest('[data-start]');
    if (!part || getSelection()?.isCollapsed === false) return;
    audio.currentTime = Number(part.dataset.start);
    void audio.play();
  });
};

for (const words of document.querySelectorAll('[data-follows]')) follow(words);
