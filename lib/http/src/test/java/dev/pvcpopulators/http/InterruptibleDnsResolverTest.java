package dev.pvcpopulators.http;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.apache.http.impl.conn.SystemDefaultDnsResolver;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class InterruptibleDnsResolverTest {
  @Test
  void returnsTheSystemsValue() throws UnknownHostException {
    InterruptibleDnsResolver lookup =
        new InterruptibleDnsResolver(SystemDefaultDnsResolver.INSTANCE);
    assertArrayEquals(InetAddress.getAllByName("localhost"), lookup.resolve("localhost"));
    UnknownHostException unknown =
        assertThrows(UnknownHostException.class, () -> lookup.resolve("no-such-host.invalid"));
    assertEquals("no-such-host.invalid", unknown.getMessage());
  }

  @Test
  @Timeout(1200)
  void endsWithAnInterruptWhileNoServerAnswers() throws InterruptedException {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    InterruptibleDnsResolver lookup =
        new InterruptibleDnsResolver(host -> {
          asked.countDown();
          awaitHeedingNothing(answered);
          return new InetAddress[0];
        });
    Thread caller = Thread.currentThread();
    Thread.ofVirtual()
        .start(() -> {
          try {
            asked.await();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
          caller.interrupt();
        });
    assertThrows(UnknownHostException.class, () -> lookup.resolve("slow.example"));
    assertTrue(Thread.interrupted(), "the interrupt is still to be seen");
    answered.countDown();
  }

  private static void awaitHeedingNothing(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
  }
}
