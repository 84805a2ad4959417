package dev.pvcpopulators.volume;

/// Something registered, taken back by closing it; closing it again does nothing.
@FunctionalInterface
public interface Registration extends AutoCloseable {
  @Override
  void close();
}
