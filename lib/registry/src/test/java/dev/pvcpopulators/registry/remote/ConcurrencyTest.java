package dev.pvcpopulators.registry.remote;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.pvcpopulators.registry.TransferListener;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ConcurrencyTest {
  private static final int THREADS = 16;

  @Test
  void readsManyBlobsAtOnceWhileTokensExpire() throws Exception {
    Content content = Content.random(new Random(7), 1_000_000);
    AtomicInteger tokens = new AtomicInteger();
    String[] self = new String[1];
    try (FaultyRegistry registry =
            new FaultyRegistry((request, reply) -> {
              String shown = request.header("authorization").orElse("");
              boolean expired = request.offset() > 0 && shown.equals("Bearer t1");
              if (request.target().startsWith("/token")) {
                reply.send(200, "{\"token\":\"t" + tokens.incrementAndGet() + "\"}");
              } else if (shown.isEmpty() || expired) {
                reply.send(401, "", "WWW-Authenticate: Bearer realm=\"" + self[0] + "\",service=s");
              } else {
                reply.blob(request, content.bytes(), request.offset() + 400_000);
              }
            });
        RegistryStore store = registry.store()) {
      self[0] = registry.url("/token");
      List<FutureTask<byte[]>> reads = new ArrayList<>();
      for (int index = 0; index < THREADS; index++) {
        InputStream blob = store.blob(content.descriptor(), TransferListener.NONE);
        FutureTask<byte[]> read = new FutureTask<>(blob::readAllBytes);
        Thread.ofVirtual().start(read);
        reads.add(read);
      }
      for (FutureTask<byte[]> read : reads) {
        assertArrayEquals(content.bytes(), read.get());
      }
    }
  }
}
