package dev.pvcpopulators.iscsitarget.session;

import dev.pvcpopulators.fuzz.Finds;
import dev.pvcpopulators.fuzz.Quiet;
import dev.pvcpopulators.iscsitarget.directory.Directory;
import dev.pvcpopulators.iscsitarget.directory.Target;
import dev.pvcpopulators.iscsitarget.directory.Targets;
import dev.pvcpopulators.iscsitarget.login.SessionParameters;
import dev.pvcpopulators.iscsitarget.login.SessionType;
import dev.pvcpopulators.iscsitarget.pdu.Digest;
import dev.pvcpopulators.iscsitarget.unit.AccessMode;
import dev.pvcpopulators.iscsitarget.unit.CommandObserver;
import dev.pvcpopulators.iscsitarget.unit.LogicalUnit;
import dev.pvcpopulators.iscsitarget.unit.ScsiTarget;
import dev.pvcpopulators.iscsitarget.unit.UnitOptions;
import dev.pvcpopulators.linux.TcpConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;

/// Fuzzes a session in full-feature phase with four disks. The first three bytes of the input
/// select the negotiated parameters and the behaviour of the initiator. From the other bytes,
/// [FuzzedInitiator] makes PDUs.
///
/// | Byte | Bits | Meaning                                                                 |
/// |-----:|-----:|-------------------------------------------------------------------------|
/// |    0 |  0–3 | HeaderDigest, DataDigest, InitialR2T, ImmediateData                      |
/// |    0 |  4–7 | raw, impatient, a discovery session, a wrong data digest                |
/// |    1 |  0–5 | the initiator's MaxRecvDataSegmentLength, MaxBurstLength, FirstBurstLength |
/// |    2 |  0–3 | the PDU whose data digest is wrong                                      |
public final class IscsiPdusFuzz {
  private static final InetSocketAddress ADDRESS =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), 3260);
  private static final TcpConnection TCP = new TcpConnection(ADDRESS, ADDRESS);

  private static final String NAME = "iqn.2017-01.io.kubevirt:sn.42";
  private static final int OPTIONS = 3;
  private static final int[] SEGMENTS = {512, 8192, 65536, 262144};
  private static final int[] BURSTS = {512, 4096, 65536, 1048576};
  private static final int FIRST_CMD_SN = 0x7FFF_FFF0;
  private static final int FIRST_STAT_SN = 0xFFFF_FFF0;

  private static final Sessions SESSIONS = new Sessions(1);
  private static final Connections CONNECTIONS =
      new Connections(ServerOptions.on(ADDRESS), SESSIONS, clock());

  /// The disks, by LUN. All runs use the same disks, because filling a new disk takes longer than
  /// restoring the changed blocks of an old disk.
  private static final List<WatchedMedium> MEDIA =
      List.of(
          new WatchedMedium(WatchedMedium.Kind.SOUND),
          new WatchedMedium(WatchedMedium.Kind.READ_ONLY),
          new WatchedMedium(WatchedMedium.Kind.BROKEN),
          new WatchedMedium(WatchedMedium.Kind.LATE));

  private static final CommandObserver OBSERVER =
      new CommandObserver() {
        @Override
        public void moved(Direction direction, long nanos) {}

        @Override
        public void failed(Trouble trouble) {
          if (trouble == Trouble.DEFECT) {
            Finds.report(new AssertionError("A command failed because of a defect"));
          }
        }
      };

  static {
    Finds.listen();
  }

  private IscsiPdusFuzz() {}

  private static ScheduledThreadPoolExecutor clock() {
    ScheduledThreadPoolExecutor clock =
        new ScheduledThreadPoolExecutor(1, Thread.ofPlatform().daemon().factory());
    clock.setRemoveOnCancelPolicy(true);
    return clock;
  }

  /// Runs a session with the PDUs that [FuzzedInitiator] makes from the input.
  public static void fuzzerTestOneInput(byte[] data) throws Exception {
    if (data.length < OPTIONS) {
      return;
    }
    MEDIA.forEach(WatchedMedium::reset);
    List<LogicalUnit> units = new ArrayList<>();
    ScsiTarget device = new ScsiTarget();
    for (int lun = 0; lun < MEDIA.size(); lun++) {
      int number = lun;
      device.add(
          lun,
          _ -> true,
          _ -> {
            LogicalUnit unit = unit(number);
            units.add(unit);
            return unit;
          });
    }
    Target target = new Target(NAME, KnownAccess.OPEN, device);
    boolean discovery = (data[0] & 0x40) != 0;
    Session session = new Session(parameters(data), discovery ? null : target, TCP);
    play(session, target, data);
    Quiet.await();
    units.forEach(LogicalUnit::close);
    Finds.check();
  }

  private static void play(Session session, Target target, byte[] data) throws Exception {
    Targets targets = new Targets();
    targets.add(target);
    Directory directory = new Directory(targets, List.of("127.0.0.1:3260"), List.of(), ADDRESS);
    SessionParameters parameters = session.parameters();
    int options = data[0];
    Dialogue dialogue = new Dialogue(parameters, (options & 0xF0) == 0);
    AnswerCheck answers = new AnswerCheck(parameters, dialogue);
    FuzzedInitiator.Behaviour behaviour =
        new FuzzedInitiator.Behaviour(
            (options & 0x10) != 0,
            (options & 0x20) != 0,
            (options & 0x80) != 0 ? data[2] & 0xF : -1);
    ByteBuffer input = ByteBuffer.wrap(data, OPTIONS, data.length - OPTIONS);
    MemorySocket socket =
        new MemorySocket(
            new FuzzedInitiator(parameters, behaviour, input, answers, dialogue, MEDIA),
            answers::sent);
    SESSIONS.enter(session, Duration.ZERO);
    SessionBuffers buffers = SESSIONS.takeBuffers(session);
    Connection connection = CONNECTIONS.assemble(session, socket, directory, buffers);
    target.device().attach(session.nexus());
    session.begin(connection);
    connection.run();
    MEDIA.forEach(WatchedMedium::arrive);
    connection.end();
    target.device().detach(session.nexus(), connection.loggedOut());
    SESSIONS.leave(session, buffers);
    answers.end();
  }

  private static LogicalUnit unit(int number) {
    AccessMode access =
        switch (MEDIA.get(number).kind()) {
          case SOUND, LATE -> AccessMode.WRITE_SHARED;
          case READ_ONLY -> AccessMode.READ_SHARED;
          case BROKEN -> AccessMode.WRITE_EXCLUSIVE;
        };
    UnitOptions options =
        new UnitOptions("fuzz " + number, "Disk", access, number == 0, Duration.ZERO, false);
    return new LogicalUnit(MEDIA.get(number), options, OBSERVER);
  }

  private static SessionParameters parameters(byte[] data) {
    int options = data[0];
    int sizes = data[1];
    int burst = BURSTS[sizes >> 2 & 3];
    return new SessionParameters(
        (options & 0x40) != 0 ? SessionType.DISCOVERY : SessionType.NORMAL,
        (options & 0x40) != 0 ? "" : NAME,
        "iqn.1993-08.org.debian:01:fuzz",
        0x8000_0000_0001L,
        1,
        0,
        Optional.empty(),
        (options & 0x01) != 0 ? Digest.CRC32C : Digest.NONE,
        (options & 0x02) != 0 ? Digest.CRC32C : Digest.NONE,
        SEGMENTS[sizes & 3],
        SessionLimits.MAX_RECEIVED_SEGMENT,
        burst,
        Math.min(burst, SEGMENTS[sizes >> 4 & 3]),
        (options & 0x04) != 0,
        (options & 0x08) != 0,
        1,
        2,
        0,
        FIRST_CMD_SN,
        FIRST_STAT_SN);
  }
}
