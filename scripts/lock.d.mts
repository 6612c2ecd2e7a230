export declare function withLock<T>(options: {
  folder: string;
  work: () => Promise<T>;
  onWait: () => void;
}): Promise<T>;
