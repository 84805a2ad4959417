package dev.pvcpopulators.iscsitarget.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.pvcpopulators.it.Rounds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Tests changed, truncated and random bytes in full-feature phase while another initiator follows
/// RFC 7143.
class HostileSessionTest {
  private static final int CASES = Rounds.of(500, 6_000);
  private static final long SEED = 20_261_121;
  private static final String NAME = "iqn.2026-01.test:hostile";

  private final Logger log = Logger.getLogger("dev.pvcpopulators.iscsitarget");
  private final Defects defects = new Defects();
  private FileServer server;

  /// A log handler that records errors. An unexpected exception ends only one session, so the test
  /// can see the exception only in the log.
  private static final class Defects extends Handler {
    private final List<String> found = new CopyOnWriteArrayList<>();

    @Override
    public void publish(LogRecord logged) {
      if (logged.getLevel().intValue() >= Level.SEVERE.intValue()) {
        found.add(logged.getMessage() + ": " + logged.getThrown());
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  @BeforeEach
  void serve() throws IOException {
    log.addHandler(defects);
    server = new FileServer(FileServer.loopback(), new MemoryMedium(1024 * 1024, 3));
  }

  @AfterEach
  void end() {
    server.close();
    log.removeHandler(defects);
    assertEquals(List.of(), defects.found);
  }

  @Test
  void takesMutatedAndTruncatedPdusWithoutHarm() throws IOException {
    try (RawInitiator good = RawInitiator.connect(server.portal())) {
      good.login("iqn.2026-01.test:good", FileServer.TARGET);
      good.clearAttentions(0);
      for (int i = 0; i < CASES; i++) {
        Random random = new Random(SEED + i);
        try (RawInitiator hostile = RawInitiator.connect(server.portal())) {
          boolean digests = random.nextInt(4) == 0;
          String digest = digests ? "CRC32C" : "None";
          hostile.login(
              NAME,
              FileServer.TARGET,
              "HeaderDigest=" + digest,
              "DataDigest=" + digest,
              "InitialR2T=" + (random.nextBoolean() ? "Yes" : "No"));
          attack(hostile, random);
        } catch (IOException e) {
          throw new AssertionError("Case " + (SEED + i), e);
        }
        if (i % 50 == 0) {
          // Uses INQUIRY, because a hostile command may have reserved or reset the logical unit.
          RawPdu inquiry = good.command(0, RawPdu.READ, 96, "120000006000");
          assertEquals(0, good.answer(inquiry).getLast().byteAt(3), "case " + i);
        }
      }
    }
  }

  private static void attack(RawInitiator hostile, Random random) throws IOException {
    List<RawPdu> pdus = valid(hostile, random);
    for (int i = random.nextInt(pdus.size()); i < pdus.size(); i++) {
      RawPdu pdu = pdus.get(i);
      if (random.nextInt(3) == 0) {
        mutate(pdu.header(), random);
      }
      byte[] wire = hostile.bytes(pdu);
      if (random.nextInt(8) == 0) {
        mutate(wire, random);
      }
      if (random.nextInt(10) == 0) {
        wire = Arrays.copyOf(wire, random.nextInt(wire.length));
      }
      if (!hostile.trySendBytes(wire)) {
        break;
      }
    }
    hostile.endOutput();
    hostile.drain();
  }

  private static void mutate(byte[] bytes, Random random) {
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      int at = random.nextInt(bytes.length);
      bytes[at] =
          random.nextBoolean()
              ? (byte) random.nextInt()
              : (byte) (bytes[at] ^ 1 << random.nextInt(8));
    }
  }

  /// Returns one or more valid PDUs of each type that an initiator may send in full-feature phase.
  private static List<RawPdu> valid(RawInitiator initiator, Random random) {
    List<RawPdu> pdus = new ArrayList<>();
    RawPdu write = initiator.write10(0, random.nextInt(1000), 4);
    pdus.add(initiator.command(0, RawPdu.READ, 96, "120000006000"));
    pdus.add(initiator.read10(0, random.nextInt(1000), 1 + random.nextInt(16)));
    pdus.add(initiator.write10(0, random.nextInt(1000), new byte[1024]));
    pdus.add(write);
    pdus.add(initiator.dataOut(write, 1 + random.nextInt(2), 0, 0, new byte[1024], false));
    pdus.add(initiator.dataOut(write, 1, 1, 1024, new byte[1024], true));
    pdus.add(initiator.command(0, 0, 0, "35000000000000000000"));
    pdus.add(withExtendedCdb(initiator.read10(0, 0, 1)));
    pdus.add(
        RawPdu.of(RawPdu.NOP_OUT, RawPdu.FINAL)
            .withTag(initiator.tag())
            .with(20, RawPdu.NO_TAG)
            .with(24, initiator.cmdSn())
            .withData(new byte[100]));
    pdus.add(
        RawPdu.of(RawPdu.IMMEDIATE | RawPdu.TASK_MANAGEMENT, RawPdu.FINAL | random.nextInt(16))
            .withTag(initiator.tag())
            .with(20, write.tag()));
    pdus.add(
        RawPdu.of(RawPdu.TEXT, RawPdu.FINAL)
            .withTag(initiator.tag())
            .with(20, RawPdu.NO_TAG)
            .with(24, initiator.cmdSn())
            .withText("SendTargets=All"));
    pdus.add(RawPdu.of(RawPdu.SNACK, RawPdu.FINAL).withTag(write.tag()));
    pdus.add(
        RawPdu.of(RawPdu.LOGOUT, RawPdu.FINAL)
            .withTag(initiator.tag())
            .with(24, initiator.cmdSn()));
    return pdus;
  }

  /// Adds an additional header segment: an extended CDB with 4 more bytes.
  private static RawPdu withExtendedCdb(RawPdu command) {
    byte[] header = Arrays.copyOf(command.header(), 48 + 8);
    header[4] = 2;
    header[49] = 5;
    header[50] = 1;
    return new RawPdu(header, command.data());
  }

  @Test
  void anExtendedCdbIsPartOfTheCommand() throws IOException {
    try (RawInitiator initiator = RawInitiator.connect(server.portal())) {
      initiator.login(NAME, FileServer.TARGET, "HeaderDigest=CRC32C");
      initiator.clearAttentions(0);
      RawPdu read = withExtendedCdb(initiator.read10(0, 0, 1));
      assertEquals(0, initiator.answer(read).getLast().byteAt(3));
    }
  }

  @Test
  void endsASessionWhosePduIsTooLong() throws IOException {
    try (RawInitiator initiator = RawInitiator.connect(server.portal())) {
      initiator.login(NAME, FileServer.TARGET);
      initiator.sendBytes(
          RawPdu.of(RawPdu.IMMEDIATE | RawPdu.NOP_OUT, RawPdu.FINAL).with(4, 0x00FFFFFF).header());
      assertTrue(initiator.receiveOrEnd() == null);
    }
  }
}
