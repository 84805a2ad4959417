package dev.pvcpopulators.kit.lifecycle;

/// The registration of a callback. [#close] removes the callback; further calls do nothing.
@FunctionalInterface
public interface Registration extends AutoCloseable {
  @Override
  void close();
}
